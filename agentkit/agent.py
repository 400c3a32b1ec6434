"""The agent: one loop between a model that decides and code that does.

Role: run -> step -> ask -> act -> check. Each reply of the model is one step: it asks for tools, which are run and
answered, or it gives an answer, which is checked; a problem is told to the model, which may try again. All that
happens goes to the trace, and what an interrupted run's trace already holds is not done again.
Not here: what a check looks for (checks.py), how a tool is run (tools.py), several agents together (team.py).

    agent = Agent("sums", "Add with the tool.", [add], OllamaModel(), check=numbers_grounded)
    result = agent.run("What is 2 + 3?")
    result.answer, result.passed, result.problems, result.tool_log
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from agentkit.arguments import is_json_object
from agentkit.errors import ModelError
from agentkit.models import Message, Model, clean, text_of, tidy_arguments
from agentkit.tools import NAMED, Approver, Outcome, Tool, ToolBox, is_approved
from agentkit.trace import Event, Tracer, timestamp

__all__ = ["Agent", "Result"]

Check = Callable[[str, list[dict[str, Any]]], list[str]]
Guard = Callable[[dict[str, Any]], "str | None"]
Call = tuple[str, Any]  # a tool's name and its arguments, as the model sent them

ANSWERED = "answered"
STEP_LIMIT = "step limit reached"
CUT_OFF = "The reply was cut off at the limit on its length: write less."
LONGEST_RESULT = 12_000  # characters of one tool result that a model is shown
SIMPLE = (str, int, float, bool)


class Result:
    """How one run went.

    agent, answer, problems     who, the text, and what is wrong with it ([]: nothing)
    tool_log                    one {"tool", "args", "result"} a call, in order
    stopped                     "answered", "step limit reached" or a guard's reason
    steps, seconds, retries_used, tokens_in, tokens_out
    """

    def __init__(
        self,
        agent: str,
        answer: str = "",
        tool_log: list[dict[str, Any]] | None = None,
        problems: list[str] | None = None,
        stopped: str = "",
        steps: int = 0,
        seconds: float = 0.0,
        retries_used: int = 0,
    ) -> None:
        self.agent = agent
        self.answer = answer
        self.tool_log = [] if tool_log is None else tool_log
        self.problems = [] if problems is None else problems
        self.stopped = stopped
        self.steps = steps
        self.seconds = seconds
        self.retries_used = retries_used
        self.tokens_in = self.tokens_out = 0

    @property
    def passed(self) -> bool:
        """True when there is an answer and every check was content with it."""
        return self.stopped == ANSWERED and not self.problems

    def facts(self) -> dict[str, Any]:
        """The simple values (text, numbers, truth values) of the tools' results; a later one replaces an earlier."""
        results = [entry["result"] for entry in self.tool_log if isinstance(entry["result"], dict)]
        pairs = [(name, value) for result in results for name, value in result.items() if isinstance(value, SIMPLE)]
        return {name: value for name, value in pairs if name not in ("error", "answer", "passed")}

    def __repr__(self) -> str:
        return f"<Result of {self.agent}: {self.stopped}, {self.steps} steps, {self.problems or 'passed'}>"


class _Run:
    """What belongs to one run alone, so that one agent may work in several threads."""

    def __init__(self, messages: list[Message], result: Result) -> None:
        self.messages = messages
        self.result = result
        self.started = time.perf_counter()
        self.errors = 0
        self.cut = False  # the last reply hit the limit on its length
        self.size = sum(len(message["content"]) for message in messages)  # characters, for the context window
        self.led = False  # the model needs help, and is led from tool to tool since (more/lead.py)
        self.forced: dict[str, int] = {}  # tools that it was led to, and how often
        self.form: dict[str, Any] | None = None  # what its last reply was held to

    def state(self) -> dict[str, Any]:
        """What a guard sees."""
        result = self.result
        seconds = time.perf_counter() - self.started
        counts = {"steps": result.steps, "tool_calls": len(result.tool_log), "errors": self.errors}
        return {"messages": self.messages, **counts, "tokens": result.tokens_in + result.tokens_out, "seconds": seconds}


class Agent:
    """A model with instructions, tools, a check and limits. All arguments are attributes that may be set later.

    tools                the tools on offer (`.toolbox` when made)
    max_steps            replies of the model that one run may use
    check                check(answer, tool_log) -> problems, or None; an empty answer is always a problem
    retries              how often problems are told to the model for another try
    approver             approver(tool_name, args) -> True to let a tool that needs approval run; None refuses
    tracer               where events are written, or None
    guards               each guard(state) -> reason to stop, or None (ready-made: agentkit/more/guards.py)
    on_event             called with each event as the trace gets it; what it raises becomes a warning
    answer_on_last_step  offer no tools on the last step, so that a run ends in an answer where it can
    """

    def __init__(
        self,
        name: str,
        instructions: str,
        tools: Iterable[Tool] = (),
        model: Model | None = None,
        max_steps: int = 8,
        check: Check | None = None,
        retries: int = 1,
        approver: Approver | None = None,
        tracer: Tracer | None = None,
        *,
        guards: Sequence[Guard] = (),
        on_event: Callable[[Event], None] | None = None,
        answer_on_last_step: bool = False,
    ) -> None:
        self.name = name
        self.instructions = instructions
        self.toolbox = ToolBox(tools)
        self.model = model
        self.max_steps = max_steps
        self.check = check
        self.retries = retries
        self.approver = approver
        self.tracer = tracer
        self.guards = guards
        self.on_event = on_event
        self.answer_on_last_step = answer_on_last_step

    def run(self, task: str, inputs: dict[str, Any] | None = None) -> Result:
        """Work on `task` until there is an accepted answer or a limit is reached.

        Raises ModelError, or TypeError when `inputs` are no JSON.
        """
        if inputs:
            task = f"{task}\n\nInputs: {_as_json(inputs)}"
        messages = [{"role": "system", "content": self.instructions}, {"role": "user", "content": task}]
        run = _Run(messages, Result(self.name))
        self._begin(task)
        try:
            while not run.result.stopped:
                self._step(run)
        except ModelError as error:
            self._emit("error", step=run.result.steps + 1, error=type(error).__name__, text=str(error))
            raise
        run.result.seconds = time.perf_counter() - run.started
        return run.result

    def _step(self, run: _Run) -> None:
        """One reply of the model, and what follows from it."""
        reason = self._reason_to_stop(run) if self.guards or self.tracer else ""
        if not reason and run.result.steps >= self.max_steps:
            reason = STEP_LIMIT
        if reason:
            return self._stop(run, reason)
        run.result.steps += 1
        text, calls = self._ask(run)
        return self._act(run, calls) if calls else self._answer(run, text)

    def _reason_to_stop(self, run: _Run) -> str:
        """What the first guard that objects says, or what the journal of a resumed run recorded; "" to go on."""
        recorded = self.tracer.recall(self.name, "stopped") if self.tracer else None
        if recorded:
            return str(recorded["reason"])
        for guard in self.guards:
            if reason := guard(run.state()):
                return str(reason)
        return ""

    # --- ask ---

    def _ask(self, run: _Run) -> tuple[str, list[Call]]:
        """One reply, as its text and its calls; it is added to the conversation in a form that any server takes."""
        last = self.answer_on_last_step and run.result.steps == self.max_steps
        tools = [] if last or run.led else self.toolbox.schemas()
        reply = self._reply(run, tools)
        text, calls = clean(text_of(reply.get("content"))), _calls_of(reply)
        if run.form and run.form["function"]["name"] not in self.toolbox.tools:  # the form of the answer
            from agentkit.more.lead import composed

            text, calls = composed(calls[0][1] if calls else text, run.result.tool_log, self.check), []
        elif not calls and (tools or run.form) and text[:1] in ("{", "[", "<", "`", "~"):
            from agentkit.more.recover import calls_from_text

            calls = calls_from_text(text, self.toolbox.tools)
            text = "" if calls else text
            run.led = run.led or (bool(calls) and set(self.toolbox.tools) <= set(self._led_to()))
        message: Message = {"role": "assistant", "content": text}
        if calls:
            message["tool_calls"] = [{"function": _valid(name, arguments)} for name, arguments in calls]
        self._say(run, message)
        return text, calls

    def _reply(self, run: _Run, tools: list[dict[str, Any]]) -> Message:
        """The model's reply: the recorded one while a run is resumed, else a new one, which is recorded."""
        messages, run.form = self._lead(run) if run.led else (run.messages, None)
        recorded = self.tracer.recall(self.name, "reply") if self.tracer else None
        started = time.perf_counter()
        if recorded:
            reply: Message = recorded["message"]
        else:
            if self.model is None:
                raise ModelError(f"The agent {self.name} has no model: give it one, or set its .model.")
            messages = self._within_the_window(messages, run.size)
            model: Any = self.model
            reply = model.chat_constrained(messages, run.form) if run.form else model.chat(messages, tools)
            reply = reply if isinstance(reply, dict) else {"content": reply}
        usage = reply.get("usage")
        if isinstance(usage, dict):
            run.result.tokens_in += _count(usage.get("tokens_in"))
            run.result.tokens_out += _count(usage.get("tokens_out"))
        run.cut = isinstance(usage, dict) and usage.get("cut") is True
        made: dict[str, Any] = {"seconds": round(time.perf_counter() - started, 3)}
        made |= {"required": run.form["function"]["name"] if run.form else ""} if run.led else {}
        self._emit("reply", step=run.result.steps, message=reply, **made)
        return reply

    def _lead(self, run: _Run) -> tuple[list[Message], dict[str, Any] | None]:
        """What a led model is asked, and the form that it can only fill in: a required tool's, or the answer's."""
        from agentkit.more.lead import turn

        names = self._led_to() if run.result.steps < self.max_steps else ()  # the last step is for an answer
        return turn(run.messages, run.result.tool_log, self.check, names, self.toolbox.tools, run.forced)

    def _within_the_window(self, messages: list[Message], size: int) -> list[Message]:
        """The conversation, with old tool results shortened where it would not fit the model's context window."""
        window = getattr(self.model, "num_ctx", None)
        if window is None or size < window:  # a token is one character or more
            return messages
        from agentkit.more.context import fitted

        return fitted(messages, self.toolbox.schemas(), window, getattr(self.model, "max_tokens", 0))

    # --- act ---

    def _act(self, run: _Run, calls: list[Call]) -> None:
        """Run the calls in the order asked; each result goes back to the model. Guards are asked between them."""
        for number, (name, arguments) in enumerate(calls):
            if number and (reason := self._reason_to_stop(run)):
                return self._stop(run, reason)
            outcome = self._call(run, name, arguments)
            entry = {"tool": name, "args": outcome.args, "result": outcome.result}
            if outcome.converted:
                entry["converted"] = outcome.converted
            run.result.tool_log.append(entry)
            run.errors += isinstance(outcome.result, dict) and "error" in outcome.result
            if not run.led and self._led_to() and name in getattr(self.check, "required", ()):
                from agentkit.more.values import failed

                run.led = failed(outcome.result)
            self._say(run, {"role": "tool", "tool_name": name, "content": _shortened(outcome.text)})
            self._emit("tool", step=run.result.steps, **entry)
            self._sync(self.toolbox.tools.get(name))
        return None

    def _call(self, run: _Run, name: str, arguments: Any) -> Outcome:
        """Run one call, or take its result from the journal of the run that is resumed."""
        if not (self.tracer or self.on_event):
            return self.toolbox.call(name, arguments, self.approver)
        step = run.result.steps
        tool = self.toolbox.tools.get(name)
        done = self.tracer.recall(self.name, "tool") if self.tracer else None
        begun = self.tracer.recall(self.name, "call") if self.tracer else None
        begun = begun or self._effect(tool, arguments)
        effect = begun.get("id")
        self._emit("call", step=step, tool=name, args=arguments, **({"id": effect} if effect else {}))
        self._sync(tool)
        if done and not (tool and tool.asks_agent):  # an agent inside goes through its own recorded lines
            text = json.dumps(done["result"], ensure_ascii=False)
            return Outcome(done["args"], done["result"], text, done.get("converted", {}))
        if failure := begun.get("failure"):
            return Outcome(arguments, {"error": failure}, json.dumps({"error": failure}), {})
        return self.toolbox.call(name, arguments, self._recording(step), effect)

    @staticmethod
    def _effect(tool: Tool | None, arguments: Any) -> dict[str, str]:
        """A new id for the lasting effect of a call, if it has one and its arguments are right."""
        if not (tool and tool.new_id and isinstance(arguments, dict)) or tool.judge(arguments)[2]:
            return {}
        try:
            return {"id": tool.new_id()}
        except Exception as error:
            return {"failure": f"{tool.name} failed: {type(error).__name__}: {error}"}

    def _recording(self, step: int) -> Approver:
        """The approver, with its answers in the trace; one that the trace holds already is not asked for again."""

        def approve(name: str, args: dict[str, Any]) -> bool:
            recorded = self.tracer.recall(self.name, "approval") if self.tracer else None
            approved = recorded["approved"] is True if recorded else is_approved(self.approver, name, args)
            self._emit("approval", step=step, tool=name, args=args, approved=approved)
            return approved

        return approve

    # --- check ---

    def _answer(self, run: _Run, text: str) -> None:
        """Check an answer: accept it, or tell the model what is wrong with it while it may try again."""
        result = run.result
        problems = self._problems(run, text)
        self._emit("answer", step=result.steps, text=text, problems=problems)
        if self.tracer:
            self.tracer.sync()
        if problems and result.steps < self.max_steps:
            if not run.led and self._led_to():
                run.led = True
                run.size -= len(run.messages.pop()["content"])  # a small model would only repeat it
                return None
            if result.retries_used < self.retries:
                result.retries_used += 1
                return self._say(run, {"role": "user", "content": _correction(problems)})
        result.answer, result.problems, result.stopped = text, problems, ANSWERED
        return None

    def _problems(self, run: _Run, text: str) -> list[str]:
        problems = [CUT_OFF] if run.cut else []
        if not text:
            return ["There was no answer.", *problems]
        try:
            found = self.check(text, run.result.tool_log) if self.check else None
        except Exception as error:  # a check that cannot judge an answer has not accepted it
            found = [f"The check failed: {type(error).__name__}: {error}"]
        return problems + ([found] if isinstance(found, str) else list(found or []))

    def _led_to(self) -> Sequence[str]:
        """The tools that a model is led to when it needs help: those of the job, if its replies can be constrained."""
        of_the_job = (*getattr(self.check, "required", ()), *getattr(self.check, "useful", ()))
        return of_the_job if hasattr(self.model, "chat_constrained") else ()

    # --- small things ---

    def _begin(self, task: str) -> None:
        if self.tracer:
            self._tell(self.tracer.begin(agent=self.name, model=getattr(self.model, "describe", dict)()))
        self._emit("task", text=task, instructions=self.instructions, tools=list(self.toolbox.tools))

    def _say(self, run: _Run, message: Message) -> None:
        run.messages.append(message)
        run.size += len(message["content"])

    def _stop(self, run: _Run, reason: str) -> None:
        problem = "The step limit was reached." if reason == STEP_LIMIT else f"The run was stopped: {reason}."
        run.result.stopped, run.result.problems = reason, [problem]
        self._emit("stopped", step=run.result.steps, reason=reason)

    def _emit(self, kind: str, **event: Any) -> None:
        if self.tracer or self.on_event:
            event = {"time": timestamp(), "agent": self.name, "kind": kind, **event}
            if self.tracer:
                self.tracer.write(**event)
            self._tell(event)

    def _tell(self, event: Event | None) -> None:
        if event and self.on_event:
            try:
                self.on_event(event)
            except Exception as error:  # who watches a run cannot break it
                import warnings

                warnings.warn(f"on_event failed at {event['kind']!r}: {type(error).__name__}: {error}", stacklevel=4)

    def _sync(self, tool: Tool | None) -> None:
        if self.tracer and tool and tool.risk != "read_only":
            self.tracer.sync()


def _as_json(inputs: Any) -> str:
    try:
        return json.dumps(inputs, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise TypeError(f"An agent's inputs must be JSON values, and these are not: {error}.") from None


def _count(tokens: Any) -> int:
    return tokens if isinstance(tokens, int) else 0


def _calls_of(reply: Message) -> list[Call]:
    """The calls of a reply as (name, arguments), whatever its shape: flat, wrapped, or not a call at all."""
    calls = reply.get("tool_calls")
    found = []
    for call in calls if isinstance(calls, list) else []:
        function = call.get("function", call) if isinstance(call, dict) else None
        if isinstance(function, dict):
            name, arguments = function.get("name", ""), function.get("arguments")
            arguments = arguments if isinstance(arguments, dict) else tidy_arguments(arguments)
            found.append((name if isinstance(name, str) else str(name), arguments))
    return found


def _valid(name: str, arguments: Any) -> dict[str, Any]:
    """A call as it is kept in the conversation: servers refuse one without a name or without an object of JSON."""
    valid_name = name if NAMED.fullmatch(name) else "unknown_tool"
    return {"name": valid_name, "arguments": arguments if is_json_object(arguments) else {}}


def _shortened(text: str) -> str:
    """A tool result as the model is shown it; the trace keeps the whole."""
    if len(text) <= LONGEST_RESULT:
        return text
    from agentkit.more.context import shortened

    return shortened(text, LONGEST_RESULT)


def _correction(problems: list[str]) -> str:
    listed = "\n".join(f"- {problem}" for problem in problems)
    return f"Your answer was not accepted:\n{listed}\nMend this and answer again; use only what the tools returned."
