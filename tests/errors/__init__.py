"""Every error of the commands and every refusal of the judge, provoked once and kept as it is printed."""
