"""Processes that begin with our packages imported: a new interpreter takes seconds for that, and the suite has dozens."""

import atexit
import multiprocessing
import os
import signal
import sys
from concurrent.futures import ThreadPoolExecutor

PROCESSES = multiprocessing.get_context("forkserver")
PROCESSES.set_forkserver_preload(["pytest", "tests.warm", "tests.faults.crashing_turn"])


class Python:
    """Code that a process of its own runs, with pipes to it: what `subprocess.Popen` is to `python -c`."""

    def __init__(self, code, *args, env=None):
        (theirs_in, ours_in), (ours_out, theirs_out), (ours_err, theirs_err) = (
            PROCESSES.Pipe(duplex=False) for _ in range(3)
        )
        theirs = theirs_in, theirs_out, theirs_err
        self._process = started(
            _run, code, [str(arg) for arg in args], dict(os.environ if env is None else env), theirs
        )
        for end in theirs:
            end.close()
        self.stdin, self.stdout, self.stderr = _file(ours_in, "w"), _file(ours_out, "r"), _file(ours_err, "r")
        self.pid = self._process.pid

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if not self.stdout.closed:
            self.kill()
            self.communicate()

    def kill(self):
        self._process.kill()

    def join(self, seconds):
        """Wait for its end, but no longer."""
        self._process.join(seconds)

    def communicate(self):
        """What it still writes to both of its outputs; it has ended then."""
        self.stdin.close()
        # Each by itself: one that fills the other while the first is read would wait for ever.
        with ThreadPoolExecutor(2) as pool, self.stdout, self.stderr:
            said = [pool.submit(output.read) for output in (self.stdout, self.stderr)]
            self._process.join(60)
            self._process.kill()
            return tuple(text.result() for text in said)

    @property
    def returncode(self):
        """None while it runs; below zero, the signal that killed it."""
        return self._process.exitcode


def started(target, *args):
    """A process that has begun to call `target`."""
    process = PROCESSES.Process(target=target, args=args)
    process.start()
    return process


def _file(connection, mode):
    with connection:
        return open(os.dup(connection.fileno()), mode, encoding="utf-8")


def _run(code, args, env, ends):
    for number, end in enumerate(ends):
        os.dup2(end.fileno(), number)
        end.close()
    sys.stdin = os.fdopen(0, encoding="utf-8", closefd=False)
    sys.argv = ["-c", *args]
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a suite that runs in the background ignores it
    os.environ.clear()  # what the server of these processes had when it was started is nobody's choice
    os.environ.update(env)
    try:
        exec(code, {"__name__": "__main__"})
    finally:
        atexit._run_exitfuncs()
