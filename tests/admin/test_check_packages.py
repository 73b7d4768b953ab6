"""The comparison of an environment with its lock file: what nothing of the lock brought is found before it runs."""

from __future__ import annotations

import base64
import hashlib
from pathlib import Path

import pytest

from keepstone.admin.check_packages import check

LOCK = """\
typing-extensions==4.15.0 \\
    --hash=sha256:0cea48d173cc12fa28ecabc3b837ea3cf6f38c6d1136f85cbaaf598984861466
numpy==2.4.6 ; python_full_version < '3.12' \\
    --hash=sha256:1cea48d173cc12fa28ecabc3b837ea3cf6f38c6d1136f85cbaaf598984861466
numpy==2.5.5 ; python_full_version >= '3.12' \\
    --hash=sha256:2cea48d173cc12fa28ecabc3b837ea3cf6f38c6d1136f85cbaaf598984861466
"""
STARTS = "import os; os.system('touch started')\n"


class Environment:
    """A virtual environment's folder with two packages of the lock, as pip leaves them."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.packages = root / "venv" / "lib" / "python3.12" / "site-packages"
        self.packages.mkdir(parents=True)
        self.lock = root / "requirements.lock"
        self.lock.write_text(LOCK)
        self.bring("typing_extensions", "4.15.0", {"typing_extensions.py": "TypedDict = dict\n"})
        scripts = {"numpy/__init__.py": "pi = 3\n", "../../../bin/f2py": "#!python\n", "numpy/core/_a.so": "\x7fELF"}
        self.bring("numpy", "2.5.5", scripts)

    def bring(self, name: str, version: str, files: dict[str, str]) -> Path:
        info = self.packages / f"{name}-{version}.dist-info"
        files |= {f"{info.name}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"}
        rows = []
        for path, text in files.items():
            place = self.packages / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text)
            digest = base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).rstrip(b"=").decode()
            rows.append(f"{path},sha256={digest},{len(text)}")
        (info / "RECORD").write_text("\n".join([*rows, f"{info.name}/RECORD,,"]) + "\n")
        return info

    def check(self) -> str:
        return check(str(self.root / "venv"), str(self.lock))


@pytest.fixture
def environment(tmp_path):
    return Environment(tmp_path)


def test_what_the_lock_names_passes_and_is_compiled_anew(environment):
    compiled = environment.packages / "numpy" / "__pycache__" / "__init__.cpython-312.pyc"
    compiled.parent.mkdir()
    compiled.write_bytes(b"anything")
    for name in ("_virtualenv.py", "_virtualenv.pth"):  # what `uv venv` writes
        (environment.packages / name).write_text("import _virtualenv\n")
    assert environment.check() == str(environment.packages)
    assert not compiled.exists() and not (environment.packages / "_virtualenv.pth").exists()
    assert (environment.packages / "numpy" / "__init__.py").read_text() == "pi = 3\n"


STRANGE = (
    *("evil.pth", "zz.pth", "a b.pth", ".pth", "evil.py", "sitecustomize.py", "usercustomize.py", "evil.so"),
    *("numpy/evil.py", "numpy/core/evil.so", "numpy/core/deep/er/evil.py", "numpy-2.5.5.dist-info/evil.py"),
    *("typing_extensions.pyc", "numpy/__init__.pyc", "numpy/__init__.so", "typing_extensions/__init__.py"),
    *("__editable__.py", "easy-install.pth", "distutils-precedence.pth", "evil.egg-link", "evil.egg", ".hidden.py"),
    "evil.dist-info.pth",
)


@pytest.mark.parametrize("name", STRANGE)
def test_a_file_that_no_package_brought_is_refused(environment, name):
    path = environment.packages / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(STARTS)
    with pytest.raises(ValueError, match="belongs to none of its packages"):
        environment.check()
    assert (environment.packages / "numpy" / "__init__.py").read_text() == "pi = 3\n"


@pytest.mark.parametrize("as_folder", [False, True])
def test_a_link_that_no_package_brought_is_refused(environment, tmp_path, as_folder):
    there = tmp_path / "elsewhere"
    there.mkdir()
    (there / "evil.py").write_text(STARTS)
    (environment.packages / "evil").symlink_to(there if as_folder else there / "evil.py")
    with pytest.raises(ValueError, match="belongs to none"):
        environment.check()


@pytest.mark.parametrize(
    ("name", "version"),
    [
        *(("otherpkg", "1.0"), ("pip", "24.0"), ("setuptools", "80.0"), ("numpy", "2.5.6"), ("numpy", "2.5.5.post1")),
        *(("typing.extensions", "4.14"), ("numpy-2", "5.5"), ("NumPy", "1"), ("", "2.5.5"), ("numpy", "")),
    ],
)
def test_a_package_that_the_lock_does_not_name_in_that_version_is_refused(environment, name, version):
    environment.bring(name, version, {f"{name or 'x'}_.py": STARTS})
    with pytest.raises(ValueError, match="it does not name"):
        environment.check()


@pytest.mark.parametrize("name", ["Typing.Extensions", "typing-extensions", "TYPING__extensions"])
def test_a_packages_name_is_compared_as_indexes_do(environment, name):
    for path in (*environment.packages.glob("typing_*/*"), environment.packages / "typing_extensions.py"):
        path.unlink()
    (environment.packages / "typing_extensions-4.15.0.dist-info").rmdir()
    environment.bring(name, "4.15.0", {"typing_extensions.py": "TypedDict = dict\n"})
    assert environment.check()


@pytest.mark.parametrize("path", ["typing_extensions.py", "numpy/__init__.py", "numpy/core/_a.so", "../../../bin/f2py"])
@pytest.mark.parametrize("change", ["more", "other", "empty", "gone", "linked"])
def test_a_file_that_is_not_as_it_was_brought_is_refused(environment, tmp_path, path, change):
    place = environment.packages / path
    was = place.read_text()
    place.unlink()
    if change == "linked":
        (tmp_path / "same").write_text(was)
        place.symlink_to(tmp_path / "same")
    elif change != "gone":
        place.write_text({"more": was + "\n", "other": STARTS, "empty": ""}[change])
    said = "outside of the environment" if change == "linked" else "is not as .* brought it"
    with pytest.raises(ValueError, match=said):
        environment.check()


@pytest.mark.parametrize("row", ["/etc/passwd,,", "../../../../outside,,", "numpy/../../../../../outside,,"])
def test_a_list_of_files_that_leads_out_of_the_environment_is_refused(environment, row):
    with (environment.packages / "numpy-2.5.5.dist-info" / "RECORD").open("a") as record:
        record.write(row + "\n")
    with pytest.raises(ValueError, match="outside of the environment"):
        environment.check()


@pytest.mark.parametrize(
    "digest", ["", "sha256=", "md5=1B2M2Y8AsgTpgAmY7PhCfg", "sha256=0cea48d173cc12fa28ecabc3b837ea3c"]
)
def test_a_list_without_the_files_own_digest_is_refused(environment, digest):
    record = environment.packages / "numpy-2.5.5.dist-info" / "RECORD"
    rows = [row for row in record.read_text().splitlines() if "__init__" not in row]
    record.write_text("\n".join([*rows, f"numpy/__init__.py,{digest},7"]) + "\n")
    with pytest.raises(ValueError, match="is not as"):
        environment.check()


def test_an_environment_without_packages_or_with_two_folders_of_them_is_refused(environment):
    (environment.root / "venv" / "lib" / "python3.13" / "site-packages").mkdir(parents=True)
    with pytest.raises(ValueError, match="2 folders of packages"):
        environment.check()


def _without_list(environment):
    (environment.packages / "numpy-2.5.5.dist-info" / "RECORD").unlink()


def _twice(environment):
    environment.bring("numpy", "2.4.6", {"numpy/x.py": "1"})


def _missing(environment):
    for path in (*environment.packages.glob("typing_*/*"), environment.packages / "typing_extensions.py"):
        path.unlink()
    (environment.packages / "typing_extensions-4.15.0.dist-info").rmdir()


def _with_the_systems(environment):
    (environment.root / "venv" / "pyvenv.cfg").write_text("home = /usr/bin\nInclude-System-Site-Packages = TRUE\n")


def _in_lib64(environment):
    folder = environment.root / "venv" / "lib64" / "python3.12" / "site-packages"
    folder.mkdir(parents=True)
    (folder / "evil.pth").write_text(STARTS)


def _elsewhere(environment):
    moved = environment.root / "moved"
    environment.packages.rename(moved)
    environment.packages.symlink_to(moved)


def _lib64_elsewhere(environment):
    (environment.root / "other").mkdir()
    (environment.root / "venv" / "lib64").symlink_to(environment.root / "other")


def _compiled_elsewhere(environment):
    (environment.root / "other").mkdir()
    (environment.packages / "numpy" / "__pycache__").symlink_to(environment.root / "other")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (_without_list, "does not say what it brought"),
        (_twice, "is there twice"),
        (_missing, "typing-extensions is missing"),
        (_with_the_systems, "the system's packages"),
        (_in_lib64, "2 folders of packages"),
        (_elsewhere, "0 folders of packages"),
        (_lib64_elsewhere, "leads outside"),
        (_compiled_elsewhere, "belongs to none"),
    ],
)
def test_an_environment_that_is_not_as_the_lock_makes_one_is_refused(environment, change, said):
    change(environment)
    with pytest.raises(ValueError, match=said):
        environment.check()


def test_lib64_may_lead_to_lib_and_a_package_for_other_systems_be_missing(environment):
    (environment.root / "venv" / "lib64").symlink_to("lib")
    (environment.root / "venv" / "pyvenv.cfg").write_text("include-system-site-packages = false\n")
    environment.lock.write_text(LOCK + "pywin32==312 ; sys_platform == 'win32' \\\n    --hash=sha256:00\n")
    assert environment.check() == str(environment.packages)
