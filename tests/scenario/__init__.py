"""The scenario runner, on the toy game."""
