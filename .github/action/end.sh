#!/usr/bin/env bash
# Ends the job with what was found, now that it has been said.
exit "$EXIT_CODE"
