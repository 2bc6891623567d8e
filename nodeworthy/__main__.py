import sys

from nodeworthy.cli import main

sys.exit(main())
