"""Work that is done by many processes: on the processors of this machine, or on a cluster of Ray."""
