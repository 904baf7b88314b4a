"""What every registered game must hold, and the toy game with them: the engine protocol as tests."""
