"""How a problem is solved: the settings of each solver."""
