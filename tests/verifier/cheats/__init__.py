"""The cheats, by the step of schemas/README.md §11 that finds them."""
