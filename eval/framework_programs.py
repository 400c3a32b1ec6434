"""The small programs that bench_framework.py runs, each in a process of its own: bare Python's and agentkit's.

Role: text only; nothing here runs. A program prints one JSON object: milliseconds and megabytes of an import,
microseconds and function calls of a step, microseconds of a schema. Those of other frameworks are in
framework_peers.py and begin with the same parts.
"""

from __future__ import annotations

__all__ = [
    "ALONE", "BARE_IMPORT", "BARE_SCHEMA", "BARE_STEP", "COUNT", "FIVE", "IMPORT", "REPEAT", "SCHEMA", "START", "STEP",
    "WORK",
]  # fmt: skip

# Ours find agentkit in sys.argv[1]; peers must not: one of them is called agents.
ALONE = "import sys, time, json\n"
START = ALONE + "sys.path.insert(0, sys.argv[1])\n"
MEMORY = """
def peak():
    try:
        with open("/proc/self/status") as file:  # since this program began; getrusage counts its parent too
            return next(int(line.split()[1]) for line in file if line.startswith("VmHWM")) * 1024 / 1e6
    except OSError:
        return None  # only Linux tells in this way
"""
BARE_IMPORT = START + MEMORY + "print(json.dumps({'ms': 0.0, 'MB': peak()}))"
IMPORT = MEMORY + """
started = time.process_time()
STATEMENT
ms = (time.process_time() - started) * 1e3
print(json.dumps({'ms': ms, 'MB': peak()}))
"""
WORK = """
def add(a: int, b: int = 1) -> dict:
    '''Add two numbers.

    Args:
        a: the first number
        b: the second number
    '''
    return {"sum": a + b}

def replies(n):
    '''A model that asks for the tool n - 1 times and then answers.'''
    left = [n]
    def model(messages, tools):
        left[0] -= 1
        if left[0]:
            return {"content": "", "tool_calls": [{"function": {"name": "add", "arguments": {"a": 1, "b": 2}}}]}
        return {"content": "The sum is 3."}
    return model
"""
COUNT = """
def calls_in(work):
    counted = [0]
    def seen(frame, event, argument):
        counted[0] += event == "call"
    sys.setprofile(seen)
    try:
        work()
    finally:
        sys.setprofile(None)
    return counted[0]

def measure(make, n):
    make(n)()
    work = make(n)
    started = time.process_time()
    work()
    us = (time.process_time() - started) / n * 1e6
    print(json.dumps({"us": us, "calls": calls_in(make(n)) / n}))
"""
BARE_STEP = START + WORK + COUNT + """
def make(n):
    model = replies(n)
    def work():
        messages = [{"role": "user", "content": "x"}]
        while True:
            reply = model(messages, [])
            messages.append(reply)
            if "tool_calls" not in reply:
                return reply["content"]
            function = reply["tool_calls"][0]["function"]
            result = {"add": add}[function["name"]](**function["arguments"])
            messages.append({"role": "tool", "content": json.dumps(result)})
    return work
measure(make, int(sys.argv[2]))
"""
STEP = START + WORK + COUNT + """
import os, tempfile
from agentkit import Agent, FunctionModel, Tracer, tool
folder = tempfile.mkdtemp()
def make(n):
    tracer = Tracer(os.path.join(folder, str(time.perf_counter_ns()))) if sys.argv[3] == "traced" else None
    agent = Agent("sums", "Add.", [tool(add)], FunctionModel(replies(n)), n + 1, tracer=tracer)
    return lambda: agent.run("What is 1 + 2?")
measure(make, int(sys.argv[2]))
import shutil
shutil.rmtree(folder, ignore_errors=True)
"""
FIVE = """
def search(query: str, folder: str = ".", limit: int = 10, exact: bool = False, kinds: list[str] = ()):
    '''Search the files of a folder.

    Args:
        query: words to look for
        folder: where to look
        limit: how many to return
        exact: whether case matters
        kinds: endings of names, such as py
    '''
"""
REPEAT = """
def repeat(work, times=300):
    work()
    started = time.process_time()
    for _ in range(times):
        work()
    print(json.dumps({"us": (time.process_time() - started) / times * 1e6}))
"""
BARE_SCHEMA = START + FIVE + REPEAT + """
import inspect, typing
repeat(lambda: (inspect.signature(search), typing.get_type_hints(search)))
"""
SCHEMA = START + FIVE + REPEAT + """
from agentkit import tool
repeat(lambda: tool(search).schema())
"""
