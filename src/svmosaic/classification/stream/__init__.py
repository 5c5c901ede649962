"""Support vector machines that learn from streams, chunk by chunk."""
