"""Write the gallery.

python -m tests.api.web.gallery [FILE]

writes `gallery.html`, or FILE, which a browser opens without the service.
"""

import sys
from pathlib import Path

from tests.api.web.gallery.components import rendered

if __name__ == "__main__":
    file = Path(sys.argv[1] if len(sys.argv) > 1 else "gallery.html")
    file.write_text(rendered())
    print(f"{file} shows the components of the dashboard")
