# A module that makes nothing of which rules ask.
