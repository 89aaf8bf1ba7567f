"""The conformance suite: does a player play by the rules, never fail and always answer in time?"""
