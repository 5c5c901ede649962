"""placeholder"""
DESCRIPTION = EPILOG = ""
def add_arguments(p): pass
def run(a): pass
