"""The promises about every small file that a command writes."""

import os
import resource
import stat


class Outputs:
    """For a CliTest.  `args`: a command without the option that gives the file, which succeeds."""

    def refuses(self, words, option, name, *args, shown=None, **more):
        self.fails(1, rf"{option}: {shown or name}{words}[^\n]*", *args, option, name, **more)

    def check_refusals(self, option, name, *args, inputs=()):
        """inputs: names of the file that is read, or of links to it."""
        self.refuses(": the folder does not exist", option, f"nowhere/{name}", *args, shown="nowhere")
        for node in ("null", "full"):
            link = f"{node}-{name}"
            os.symlink(f"/dev/{node}", self.path(link))
            self.refuses(": is a device, expected a regular file", option, link, *args, "--force")
            os.remove(self.path(link))
        for given in inputs:
            self.refuses(": is the file that is read", option, given, *args)
            self.refuses(": is the file that is read", option, given, *args, "--force")
        for force in ([], ["--force"]):
            os.mkfifo(self.path(name))
            self.refuses(": is a FIFO, expected a regular file", option, name, *args, *force)
            os.remove(self.path(name))
            for planted in (os.mkfifo, os.mkdir, lambda path: os.symlink("graph", path)):
                planted(self.path(f"{name}.partial"))
                self.refuses(r"\.partial: ", option, name, *args, *force)
                (os.rmdir if planted is os.mkdir else os.remove)(self.path(f"{name}.partial"))

    def check_replacing(self, option, name, *args):
        """Only with --force; a link stays, and so do the permissions."""
        folder = self.files()
        self.assertEqual(self.rmat(*args, option, name).returncode, 0)
        with open(self.path("plain"), "xb"):  # of which permissions are the usual ones
            self.assertEqual(os.stat(self.path(name)).st_mode, os.stat(self.path("plain")).st_mode)
        os.remove(self.path("plain"))
        self.write(name)
        os.chmod(self.path(name), 0o604)
        os.makedirs(self.path("links"))
        os.symlink(f"../{name}", self.path(f"links/{name}"))
        self.refuses(": already exists, --force replaces it", option, name, *args)
        for link in (name, f"links/{name}"):
            self.write(name)
            done = self.rmat(*args, option, link, "--force")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertNotEqual(self.read(name), b"precious")
            self.assertEqual(stat.S_IMODE(os.stat(self.path(name)).st_mode), 0o604)
        self.assertTrue(os.path.islink(self.path(f"links/{name}")))
        for file in (f"links/{name}", name):
            os.remove(self.path(file))
        os.rmdir(self.path("links"))
        self.assertEqual(self.files(), folder)

    def check_full(self, option, name, *args, prints=False):
        """A file system that takes no more bytes: what was there before stays."""
        folder = self.files()
        for force in [], ["--force"]:
            self.refuses(r"\.partial: File too large", option, name, *args, *force, prints=prints,
                         preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (64, 64)))
            self.assertEqual(self.files(), sorted([*folder, *([name] if force else [])]))
            self.write(name)
        self.assertEqual(self.read(name), b"precious")
        os.remove(self.path(name))
