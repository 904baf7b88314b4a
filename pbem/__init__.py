"""Play Wyatt Earp and Way Out West by mail: signed turns, proven draws, sealed hands."""
