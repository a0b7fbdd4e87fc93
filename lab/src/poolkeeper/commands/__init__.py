"""Commands that analyse results and models, with answers on the terminal, as JSON or on a page."""
