"""python -m spodnet: the command line that comes with the package."""
import os
import shutil
import sys
import sysconfig
from pathlib import Path


def command() -> str:
    """The path of the program `spodnet`."""
    name = "spodnet"
    places = [Path(sysconfig.get_path("scripts")), Path(sys.prefix) / "bin"]
    places.append(Path(sysconfig.get_path("scripts", f"{os.name}_user")))
    places.append(Path(__file__).resolve().parents[2] / "bin")
    places.append(Path(__file__).parents[2] / "bin")  # a build tree: build/python/spodnet, build/bin
    for place in places:
        if (place / name).is_file():
            return str(place / name)
    found = shutil.which(name)
    if found is None:
        raise FileNotFoundError("the program 'spodnet' is not beside this Python: pip install spodnet again")
    return found


def main() -> None:
    program = command()
    os.execv(program, [program, *sys.argv[1:]])


if __name__ == "__main__":
    main()
