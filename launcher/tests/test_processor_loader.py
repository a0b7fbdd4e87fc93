"""The loader of javac's plugins, which lasts for a whole build."""

from __future__ import annotations

import os
import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest
from conftest import PROJECT

if TYPE_CHECKING:
    from pathlib import Path

PLUGIN = "public class Plugin {}"
MAIN = """
import io.poolkeeper.launcher.ProcessorLoader;
import java.io.File;
import java.net.URL;

class Main {
  public static void main(String[] paths) throws Exception {
    for (String path : paths) {
      try (ProcessorLoader loader = new ProcessorLoader(new URL[] {new File(path).toURI().toURL()}, null)) {
        System.out.println(System.identityHashCode(loader.loadClass("Plugin")));
      }
    }
  }
}
"""


def tool(name: str) -> str:
    home = os.environ.get("JAVA_HOME")
    found = shutil.which(name, path=f"{home}/bin" if home else None)
    return found or pytest.skip(f"no {name}")


def test_a_plugin_is_loaded_once_for_all_compilations_with_its_path(tmp_path: Path) -> None:
    (tmp_path / "Plugin.java").write_text(PLUGIN, encoding="utf-8")
    (tmp_path / "Main.java").write_text(MAIN, encoding="utf-8")
    loader = str(PROJECT / "launcher" / "ProcessorLoader.java")
    for folder, files in (("classes", ("Main.java", loader)), ("one", ("Plugin.java",)), ("other", ("Plugin.java",))):
        subprocess.run([tool("javac"), "-d", folder, *files], cwd=tmp_path, check=True)
    done = subprocess.run(
        [tool("java"), "-cp", "classes", "Main", "one", "one", "other"],
        cwd=tmp_path,
        check=True,
        capture_output=True,
        text=True,
    )
    first, second, third = done.stdout.split()
    assert first == second
    assert third != first
