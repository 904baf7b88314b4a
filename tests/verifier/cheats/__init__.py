"""The cheats, by the step of protocol 4.8 that finds them."""
