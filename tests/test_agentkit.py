"""What agentkit promises to the learners of the course, in readable sentences: models, tools, the agent, checks,
memory, teams and the trace.

Standard library only, so that it runs from the project's folder with nothing but Python:

    python tests/test_agentkit.py

Names, shapes and words are those of the course's contract; nothing here was copied from what the code prints. The wild
cases (property tests, loopback servers, killed runs) have files of their own.
"""

from __future__ import annotations

import builtins
import contextlib
import io
import json
import sys
import tempfile
import threading
import unittest
from pathlib import Path
from unittest import mock

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from agentkit import (
    Agent,
    ModelError,
    Notebook,
    OllamaModel,
    Pipeline,
    Result,
    ScriptedModel,
    Tool,
    ToolBox,
    Tracer,
    agent_as_tool,
    all_of,
    ask_person,
    moves_grounded,
    not_empty,
    numbers_grounded,
    refuse_all,
    succeeded,
    tool,
    used_a_tool,
)
from agentkit.errors import DamagedFile, SchemaError
from agentkit.models import clean, tidy_calls
from agentkit.trace import read_trace, show


@tool
def add(a: int, b: int = 1) -> dict:
    """Add two numbers.

    Args:
        a: the first number
        b: the second number,
            which may be left out
    """
    return {"sum": a + b}


def call(name, **arguments):
    """A model's reply that asks for one tool."""
    return calls((name, arguments))


def calls(*pairs):
    return {"content": "", "tool_calls": [{"function": {"name": n, "arguments": a}} for n, a in pairs]}


def answer(text):
    return {"content": text}


def yes(tool_name, args):
    return True


def agent_with(*replies, tools=(add,), **options):
    return Agent("sums", "Add with the tool.", tools, ScriptedModel(replies), **options)


class TemporaryFolder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)


# --- models -----------------------------------------------------------------------------------------------------------


class CleanKeepsTheAnswer(unittest.TestCase):
    def test_reasoning_is_dropped_however_it_is_marked(self):
        table = {
            "<think>2 and 2</think>4": "4",
            "  <think>a</think> 4 <think>b</think> men ": "4  men",
            "2 and 2 make</think>4": "4",  # never opened
            "4<think>or perhaps 5": "4",  # never closed
            "<think>or perhaps 5": "",
            "<THINK>loud</Think>4": "4",
            "<think>a<think>b</think>c</think>4": "4",
            "I think 4": "I think 4",
            "4": "4",
            " \n": "",
            "": "",
        }
        for text, kept in table.items():
            with self.subTest(text):
                self.assertEqual(clean(text), kept)

    def test_none_is_no_text(self):
        self.assertEqual(clean(None), "")


class TidyCallsReadsArguments(unittest.TestCase):
    def tidied(self, arguments):
        return tidy_calls(call_with(arguments))["tool_calls"][0]["function"]["arguments"]

    def test_objects_text_of_objects_and_nothing_become_dictionaries(self):
        for sent, read in [({"a": 1}, {"a": 1}), ('{"a": 1}', {"a": 1}), ("", {}), ("  ", {}), (None, {}), ("{}", {})]:
            with self.subTest(sent=sent):
                self.assertEqual(self.tidied(sent), read)

    def test_a_flat_call_is_read_as_well(self):
        message = {"tool_calls": [{"id": "c1", "name": "add", "arguments": '{"a": 1}'}, {"id": "c2"}]}
        expected = [{"id": "c1", "name": "add", "arguments": {"a": 1}}, {"id": "c2"}]
        self.assertEqual(tidy_calls(message)["tool_calls"], expected)

    def test_what_is_no_object_stays_as_it_is(self):
        for sent in ("[1, 2]", '{"a": 1, "b"', "three", "3", '{"a": NaN}', [1, 2], 7):
            with self.subTest(sent=sent):
                self.assertEqual(self.tidied(sent), sent)

    def test_a_message_without_calls_stays_as_it_is(self):
        for message in ({"content": "4"}, {"tool_calls": None}, {"tool_calls": "add"}, {"tool_calls": [None, {}, 3]}):
            self.assertEqual(tidy_calls(dict(message)), message)


def call_with(arguments):
    return {"content": "", "tool_calls": [{"function": {"name": "add", "arguments": arguments}}]}


class ScriptedModelFollowsItsScript(unittest.TestCase):
    def test_it_gives_one_reply_a_call_and_remembers_what_it_was_asked(self):
        model = ScriptedModel([answer("one"), "two"])
        messages = [{"role": "user", "content": "count"}]
        self.assertEqual(model.chat(messages, [])["content"], "one")
        messages.append({"role": "assistant", "content": "one"})
        self.assertEqual(model.chat(messages, [add.schema()])["content"], "two")
        self.assertEqual(model.seen[0], {"messages": messages[:1], "tools": []})
        self.assertEqual(model.seen[1], {"messages": messages, "tools": [add.schema()]})

    def test_a_script_that_has_ended_is_a_model_error(self):
        with self.assertRaises(ModelError):
            ScriptedModel([]).chat([], [])


class OllamaModelTakesItsSettings(unittest.TestCase):
    def test_what_is_left_out_comes_from_the_environment(self):
        settings = {"AGENT_MODEL": "small", "OLLAMA_URL": "http://127.0.0.1:1/", "AGENT_TIMEOUT": "7"}
        with mock.patch.dict("os.environ", settings):
            model = OllamaModel()
            self.assertEqual((model.model, model.url, model.timeout), ("small", "http://127.0.0.1:1", 7))
            self.assertEqual(OllamaModel("large", timeout=9).model, "large")

    def test_without_an_environment_the_courses_values_hold(self):
        with mock.patch.dict("os.environ", clear=True):
            model = OllamaModel()
            self.assertEqual((model.model, model.url, model.timeout), ("qwen3", "http://127.0.0.1:11434", 120))

    def test_an_impossible_setting_is_named_with_its_value(self):
        for name, value in [("AGENT_TIMEOUT", "abc"), ("AGENT_TIMEOUT", "-1"), ("AGENT_NUM_CTX", "many")]:
            with self.subTest(name=name), mock.patch.dict("os.environ", {name: value}):
                with self.assertRaises(ModelError) as caught:
                    OllamaModel()
                self.assertIn(name, str(caught.exception))
                self.assertIn(repr(value), str(caught.exception))


# --- tools ------------------------------------------------------------------------------------------------------------


class ToolsComeFromFunctions(unittest.TestCase):
    def test_a_tool_has_the_functions_name_and_words(self):
        self.assertIsInstance(add, Tool)
        self.assertEqual(add.name, "add")
        self.assertEqual(add.description, "Add two numbers.")
        self.assertEqual(add.fn(1, 2), {"sum": 3})

    def test_its_schema_is_the_one_that_models_are_sent(self):
        schema = add.schema()
        self.assertEqual(schema["type"], "function")
        self.assertEqual(set(schema["function"]), {"name", "description", "parameters"})
        parameters = schema["function"]["parameters"]
        self.assertEqual(parameters, add.parameters)
        self.assertEqual((parameters["type"], parameters["required"]), ("object", ["a"]))
        self.assertEqual(parameters["properties"]["a"]["type"], "integer")
        self.assertEqual(parameters["properties"]["b"]["default"], 1)

    def test_the_notes_of_the_argument_section_go_to_the_arguments(self):
        properties = add.parameters["properties"]
        self.assertEqual(properties["a"]["description"], "the first number")
        self.assertIn("the second number, which may be left out", properties["b"]["description"])

    def test_the_description_is_the_whole_docstring_up_to_the_arguments_with_white_space_folded(self):
        @tool
        def measure(size):
            """Measure a thing.

            It takes
              a while.

            Args:
                size: how large
            """

        self.assertEqual(measure.description, "Measure a thing. It takes a while.")

    def test_each_hint_has_its_json_type_and_no_hint_is_text(self):
        @tool
        def everything(none, s: str, i: int, f: float, b: bool, li: list, d: dict, ls: list[str]):
            pass

        properties = everything.parameters["properties"]
        types = {name: properties[name]["type"] for name in properties}
        words = ["string", "string", "integer", "number", "boolean", "array", "object", "array"]
        self.assertEqual(types, dict(zip(["none", "s", "i", "f", "b", "li", "d", "ls"], words, strict=True)))
        self.assertEqual(properties["ls"]["items"], {"type": "string"})

    def test_a_tool_can_still_be_called_without_limits_or_approval(self):
        @tool(needs_approval=True, limits={"n": {"maximum": 3}})
        def launch(n: int):
            return n

        self.assertTrue(launch.needs_approval)
        self.assertEqual(launch(9), 9)
        self.assertFalse(add.needs_approval)

    def test_a_function_whose_arguments_have_no_schema_is_refused_when_it_is_decorated(self):
        with self.assertRaises(SchemaError):

            @tool
            def store(data: bytes):
                pass


class ToolBoxRunsCallsByName(unittest.TestCase):
    def setUp(self):
        @tool(
            limits={
                "players": {"minItems": 2, "maxItems": 3, "items": {"enum": ["easy", "hard"]}},
                "pairs": {"minimum": 1, "maximum": 3},
                "mode": {"enum": ["fast", "slow"]},
            }
        )
        def play(players: list[str], pairs: int = 1, mode: str = "fast"):
            return {"games": pairs}

        self.box = ToolBox([add, play])

    def error(self, name, args, approver=None):
        result = self.box.run(name, args, approver)
        self.assertEqual(list(result), ["error"], result)
        return result["error"]

    def test_it_knows_its_tools_and_their_descriptions(self):
        self.assertEqual(list(self.box.tools), ["add", "play"])
        self.assertEqual(self.box.schemas()[0], add.schema())

    def test_a_good_call_gives_the_result(self):
        self.assertEqual(self.box.run("add", {"a": 1, "b": 2}), {"sum": 3})
        self.assertEqual(self.box.run("add", {"a": 1}), {"sum": 2})

    def test_an_unknown_tool_is_answered_with_those_there_are(self):
        self.assertEqual(self.error("addd", {}), "There is no tool called addd. Tools: add, play")
        self.assertEqual(self.error("", {}), "There is no tool called . Tools: add, play")

    def test_all_problems_of_a_call_are_named_together(self):
        self.assertEqual(
            self.error("add", {"b": "three", "c": 1}),
            "The arguments were not accepted: missing argument: a; b should be of type integer, not str; "
            "unknown argument: c",
        )

    def test_limits_are_enforced_in_the_courses_words(self):
        table = [
            ({"players": ["easy", "hard"], "pairs": 0}, "pairs must be at least 1"),
            ({"players": ["easy", "hard"], "pairs": 4}, "pairs must be at most 3"),
            ({"players": ["easy", "hard"], "mode": "best"}, "mode must be one of ['fast', 'slow']"),
            ({"players": ["easy"]}, "players needs at least 2 items"),
            ({"players": ["easy"] * 4}, "players may have at most 3 items"),
            ({"players": ["easy", "medium"]}, "players[1] must be one of ['easy', 'hard']"),
        ]
        for args, problem in table:
            with self.subTest(problem):
                self.assertEqual(self.error("play", args), f"The arguments were not accepted: {problem}")

    def test_a_value_is_converted_only_when_nothing_is_lost(self):
        for sent, right in [("3", 3), (3.0, 3), ("3.0", 3), ("-3", -3)]:
            with self.subTest(sent=sent):
                outcome = self.box.call("add", {"a": sent})
                self.assertEqual(outcome.result, {"sum": right + 1})
                self.assertEqual(outcome.converted, {"a": {"from": sent, "to": right}})
        for sent in (3.5, "3.5", "three", " 3", "0x3", "٣", True, [], {}, "NaN", 1e300):
            with self.subTest(sent=sent):
                self.assertIn("a should be of type integer, not", self.error("add", {"a": sent}))

    def test_nothing_is_ever_turned_into_text(self):
        @tool
        def echo(text: str):
            return text

        for sent in (3, True, ["a"], {"a": 1}, None):
            self.assertIn("text should be of type string", ToolBox([echo]).run("echo", {"text": sent})["error"])

    def test_null_is_none_where_the_type_allows_it_and_else_the_default(self):
        @tool
        def show_both(a: int | None = 7, b: int = 8):
            return [a, b]

        self.assertEqual(ToolBox([show_both]).run("show_both", {"a": None, "b": None}), [None, 8])
        self.assertIn("a should be of type integer, not null", self.error("add", {"a": None}))

    def test_arguments_that_are_no_object_are_answered_not_raised(self):
        for args in ("{broken", "[1, 2]", [1, 2], 3, None):
            with self.subTest(args=args):
                self.assertIn("The arguments were not accepted", self.error("add", args))

    def test_a_tool_that_needs_approval_runs_only_after_a_yes(self):
        ran = []

        @tool(needs_approval=True)
        def launch(n: int):
            ran.append(n)
            return "launched"

        box = ToolBox([launch])
        refused = {"error": "A person did not approve launch, so it was not run."}
        for approver in (None, refuse_all, lambda name, args: "yes", lambda name, args: 1 / 0):
            self.assertEqual(box.run("launch", {"n": 1}, approver), refused)
        self.assertEqual(ran, [])
        self.assertEqual(box.run("launch", {"n": 1}, yes), "launched")

    def test_wrong_arguments_are_not_put_before_a_person(self):
        @tool(needs_approval=True)
        def launch(n: int):
            pass

        approver = mock.Mock()
        ToolBox([launch]).run("launch", {"n": "now"}, approver)
        approver.assert_not_called()

    def test_a_disabled_tool_never_runs(self):
        @tool(risk="disabled")
        def erase():
            raise AssertionError("ran")

        self.assertIn("disabled", ToolBox([erase]).run("erase", {}, yes)["error"])

    def test_a_failure_is_named_with_its_type_and_message(self):
        @tool
        def fail():
            raise ValueError("boom")

        self.assertEqual(ToolBox([fail]).run("fail", {}), {"error": "fail failed: ValueError: boom"})

    def test_only_a_persons_interrupt_passes_through(self):
        @tool
        def leave(how: str):
            raise {"exit": SystemExit, "interrupt": KeyboardInterrupt}[how]

        self.assertIn("leave failed: SystemExit", ToolBox([leave]).run("leave", {"how": "exit"})["error"])
        with self.assertRaises(KeyboardInterrupt):
            ToolBox([leave]).run("leave", {"how": "interrupt"})

    def test_a_result_that_is_no_json_becomes_an_error_in_words(self):
        @tool
        def odd(kind: str):
            return {"nan": float("nan"), "infinity": [float("inf")], "set": {1}, "object": object()}[kind]

        for kind in ("nan", "infinity", "set", "object"):
            with self.subTest(kind):
                self.assertIn("cannot be sent as JSON", ToolBox([odd]).run("odd", {"kind": kind})["error"])

    def test_two_tools_of_one_name_are_refused(self):
        with self.assertRaises(SchemaError):
            ToolBox([add, add])


# --- the agent --------------------------------------------------------------------------------------------------------


class AnAgentRunsInSteps(unittest.TestCase):
    def test_it_calls_the_tool_and_gives_the_answer(self):
        agent = agent_with(call("add", a=2, b=3), answer("The sum is 5."), check=numbers_grounded)
        result = agent.run("What is 2 + 3?")
        self.assertEqual((result.agent, result.answer, result.stopped), ("sums", "The sum is 5.", "answered"))
        self.assertEqual((result.steps, result.retries_used, result.problems), (2, 0, []))
        self.assertTrue(result.passed)
        self.assertEqual(result.tool_log, [{"tool": "add", "args": {"a": 2, "b": 3}, "result": {"sum": 5}}])

    def test_the_model_sees_the_instructions_the_task_and_each_result(self):
        agent = agent_with(call("add", a=2), answer("3"))
        agent.run("Add one to two.")
        first, second = agent.model.seen
        self.assertEqual(
            first["messages"],
            [{"role": "system", "content": "Add with the tool."}, {"role": "user", "content": "Add one to two."}],
        )
        self.assertEqual(first["tools"], [add.schema()])
        call_sent, result_sent = second["messages"][2:]
        self.assertEqual(call_sent["role"], "assistant")
        self.assertEqual(call_sent["tool_calls"], [{"function": {"name": "add", "arguments": {"a": 2}}}])
        self.assertEqual(result_sent["role"], "tool")
        self.assertEqual(result_sent["tool_name"], "add")
        self.assertEqual(json.loads(result_sent["content"]), {"sum": 3})

    def test_inputs_are_added_to_the_task(self):
        agent = agent_with(answer("ok"))
        agent.run("Play.", {"players": ["easy"], "pairs": 1})
        task = agent.model.seen[0]["messages"][1]["content"]
        self.assertEqual(task, 'Play.\n\nInputs: {"players": ["easy"], "pairs": 1}')

    def test_inputs_that_are_no_json_are_refused_before_the_model_is_asked(self):
        for value in ({1}, float("nan")):
            agent = agent_with(answer("ok"))
            with self.assertRaisesRegex(TypeError, "inputs must be JSON"):
                agent.run("Play.", {"value": value})
            self.assertEqual(agent.model.seen, [])

    def test_calls_of_one_reply_run_in_the_order_asked_as_one_step(self):
        agent = agent_with(calls(("add", {"a": 1}), ("add", {"a": 2})), answer("2 and 3"))
        result = agent.run("Twice.")
        self.assertEqual([entry["result"]["sum"] for entry in result.tool_log], [2, 3])
        self.assertEqual(result.steps, 2)

    def test_an_empty_answer_always_fails(self):
        agent = agent_with(answer(""), answer("<think>99"), tools=())
        result = agent.run("Say something.")
        self.assertEqual((result.answer, result.problems, result.retries_used), ("", ["There was no answer."], 1))
        self.assertFalse(result.passed)

    def test_problems_are_told_to_the_model_which_may_mend_them(self):
        agent = agent_with(answer("7"), call("add", a=1), answer("2"), check=all_of(used_a_tool, numbers_grounded))
        result = agent.run("1 + 1?")
        self.assertTrue(result.passed)
        self.assertEqual(result.retries_used, 1)
        told = agent.model.seen[1]["messages"][-1]
        self.assertEqual(told["role"], "user")
        self.assertIn("The answer was written without calling any tool.", told["content"])
        self.assertIn("These numbers did not come from any tool: 7.", told["content"])

    def test_what_still_fails_after_the_retries_is_reported(self):
        agent = agent_with(answer("7"), answer("8"), answer("9"), check=numbers_grounded, retries=2)
        result = agent.run("Guess.")
        self.assertEqual(result.answer, "9")
        self.assertEqual(result.problems, ["These numbers did not come from any tool: 9."])
        self.assertEqual((result.stopped, result.retries_used, result.passed), ("answered", 2, False))

    def test_the_step_limit_ends_a_run_and_its_last_call_is_still_run(self):
        agent = agent_with(*[call("add", a=n) for n in range(9)], max_steps=3)
        result = agent.run("Never stop.")
        self.assertEqual((result.stopped, result.steps), ("step limit reached", 3))
        self.assertEqual(result.problems, ["The step limit was reached."])
        self.assertEqual(len(result.tool_log), 3)
        self.assertFalse(result.passed)

    def test_on_request_the_last_step_offers_no_tools(self):
        agent = agent_with(call("add", a=1), answer("2"), max_steps=2, answer_on_last_step=True)
        self.assertTrue(agent.run("1 + 1?").passed)
        self.assertEqual([len(asked["tools"]) for asked in agent.model.seen], [1, 0])

    def test_facts_are_the_simple_values_of_results_and_later_ones_replace_earlier_ones(self):
        @tool
        def look(n: int):
            return {"id": f"t{n}", "n": n, "half": n / 2, "ok": True, "list": [1], "none": None, "answer": "x"}

        agent = agent_with(call("look", n=1), call("look", n=2), call("look", n="x"), answer("ok"), tools=[look])
        facts = agent.run("Look.").facts()
        self.assertEqual(facts, {"id": "t2", "n": 2, "half": 1.0, "ok": True})

    def test_all_settings_may_be_changed_later(self):
        agent = Agent("sums", "Add.")
        agent.model, agent.toolbox, agent.max_steps = ScriptedModel([call("add", a=1)]), ToolBox([add]), 1
        self.assertEqual(agent.run("Add.").tool_log[0]["result"], {"sum": 2})
        names = ("name", "instructions", "check", "retries", "approver", "tracer", "guards", "on_event")
        self.assertEqual([name for name in names if not hasattr(agent, name)], [])

    def test_a_model_that_fails_is_a_model_error_for_the_caller(self):
        with self.assertRaises(ModelError):
            agent_with().run("No reply is left.")
        with self.assertRaisesRegex(ModelError, "sums"):
            Agent("sums", "Add.").run("No model at all.")

    def test_an_approver_is_asked_and_a_refusal_is_told_to_the_model(self):
        @tool(needs_approval=True)
        def launch(n: int):
            return "launched"

        asked = []
        agent = agent_with(call("launch", n=1), answer("It was refused."), tools=[launch])
        agent.approver = lambda name, args: asked.append((name, args))
        result = agent.run("Launch.")
        self.assertEqual(asked, [("launch", {"n": 1})])
        self.assertEqual(result.tool_log[0]["result"]["error"], "A person did not approve launch, so it was not run.")

    def test_a_check_that_fails_has_not_accepted_the_answer(self):
        agent = agent_with(answer("ok"), retries=0, check=lambda text, log: 1 / 0)
        self.assertEqual(agent.run("x").problems, ["The check failed: ZeroDivisionError: division by zero"])

    def test_a_check_that_says_nothing_is_content(self):
        self.assertTrue(agent_with(answer("ok"), check=lambda text, log: None).run("x").passed)

    def test_guards_stop_a_run_with_their_reason(self):
        seen = []

        def guard(state):
            seen.append(set(state))
            return "enough" if state["tool_calls"] >= 2 else ""

        agent = agent_with(*[call("add", a=1)] * 9, guards=[guard])
        result = agent.run("Never stop.")
        self.assertEqual((result.stopped, len(result.tool_log), result.passed), ("enough", 2, False))
        self.assertEqual(result.problems, ["The run was stopped: enough."])
        self.assertLessEqual({"messages", "steps", "tool_calls", "errors"}, seen[0])

    def test_one_agent_works_in_several_threads_at_once(self):
        class Adder:
            def chat(self, messages, tools):
                task = messages[1]["content"]
                return call("add", a=int(task), b=0) if len(messages) == 2 else answer(messages[-1]["content"])

        agent = Agent("sums", "Add.", [add], Adder())
        results = {}
        threads = [threading.Thread(target=lambda n=n: results.update({n: agent.run(str(n))})) for n in range(20)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual({n: result.answer for n, result in results.items()}, {n: f'{{"sum": {n}}}' for n in range(20)})

    def test_a_result_can_be_made_by_hand(self):
        log = [{"tool": "add", "args": {"a": 1}, "result": {"sum": 2}}]
        result = Result("sums", "2", log, [], "answered", 2, 0.5, 0)
        self.assertTrue(result.passed)
        self.assertEqual(result.facts(), {"sum": 2})


# --- checks -----------------------------------------------------------------------------------------------------------


LOG = [{"tool": "standings", "args": {"tournament_id": "20261028-140501"}, "result": {"easy": 1.5, "games": 12}}]


class ChecksReadAnAnswerBesideTheToolLog(unittest.TestCase):
    def test_used_a_tool(self):
        self.assertEqual(used_a_tool("4", []), ["The answer was written without calling any tool."])
        self.assertEqual(used_a_tool("4", LOG), [])

    def test_not_empty(self):
        self.assertEqual(not_empty(" \n", []), ["There was no answer."])
        self.assertEqual(not_empty("4", []), [])

    def test_numbers_grounded(self):
        self.assertEqual(numbers_grounded("easy has 1.5 points after 12 games", LOG), [])
        problem = "These numbers did not come from any tool: 7, 9."
        self.assertEqual(numbers_grounded("easy has 7 points after 9 games", LOG), [problem])

    def test_moves_grounded(self):
        log = [{"tool": "find_mistakes", "args": {}, "result": {"played": "c3-d4", "best": "c3xe5xg7"}}]
        self.assertEqual(moves_grounded("c3-d4 was played; c3xe5xg7 was best", log), [])
        self.assertEqual(moves_grounded("a3-b4", log), ["These moves did not come from any tool: a3-b4."])

    def test_succeeded(self):
        log = [*LOG, {"tool": "find_mistakes", "args": {}, "result": {"error": "no such id"}}]
        problem = "These tools never ran successfully: find_mistakes, recall."
        self.assertEqual(succeeded("standings", "find_mistakes", "recall")("ok", log), [problem])
        self.assertEqual(succeeded("standings")("ok", log), [])

    def test_all_of_tells_every_problem(self):
        check = all_of(used_a_tool, numbers_grounded, succeeded("standings"))
        self.assertEqual(len(check("7", [])), 3)
        self.assertEqual(check("12", LOG), [])

    def test_a_result_may_also_be_json_text(self):
        log = [{"tool": "standings", "args": {}, "result": '{"games": 12}'}]
        self.assertEqual(all_of(numbers_grounded, succeeded("standings"))("12 games", log), [])


# --- memory -----------------------------------------------------------------------------------------------------------


class ANotebookRemembers(TemporaryFolder):
    def setUp(self):
        super().setUp()
        self.notebook = Notebook(self.folder / "notebook.json")

    def test_a_note_has_a_time_a_text_and_tags_and_is_found_again(self):
        self.assertEqual(self.notebook.notes(), [])
        self.notebook.add("easy against medium: medium won", tags=["easy", "medium"])
        (note,) = Notebook(self.notebook.path).notes()
        self.assertEqual(set(note), {"when", "text", "tags"})
        self.assertTrue(note["when"].endswith("+00:00"))
        self.assertEqual(json.loads(self.notebook.path.read_text(encoding="utf-8")), [note])

    def test_search_gives_most_words_shared_first_then_the_newest(self):
        for text, tags in [("hard won", ["hard"]), ("easy lost", ["easy", "medium"]), ("easy drew", ["easy", "hard"])]:
            self.notebook.add(text, tags)
        found = [note["text"] for note in self.notebook.search("how did EASY and hard do?")]
        self.assertEqual(found, ["easy drew", "easy lost", "hard won"])
        self.assertEqual(len(self.notebook.search("easy hard", limit=1)), 1)
        self.assertEqual(self.notebook.search("neural"), [])

    def test_agents_can_only_read_it(self):
        self.notebook.add("medium won", ["medium"])
        recall = self.notebook.recall_tool()
        self.assertEqual((recall.name, recall.risk), ("recall", "read_only"))
        found = ToolBox([recall]).run("recall", {"query": "medium"})
        self.assertEqual((found["notes_found"], found["notes"][0]["text"]), (1, "medium won"))
        self.assertEqual(ToolBox([recall]).run("recall", {"query": "neural"}), {"notes_found": 0, "notes": []})

    def test_a_damaged_file_is_named_and_left_as_it_is(self):
        for damage in ('[{"when"', '{"text": "no list"}', "[1, 2]"):
            self.notebook.path.write_text(damage, encoding="utf-8")
            with self.assertRaises(DamagedFile) as caught:
                self.notebook.add("another")
            self.assertIn("notebook.json", str(caught.exception))
            self.assertEqual(self.notebook.path.read_text(encoding="utf-8"), damage)


# --- team -------------------------------------------------------------------------------------------------------------


class AgentsWorkTogether(unittest.TestCase):
    def test_a_pipeline_hands_on_inputs_facts_and_answers(self):
        first = agent_with(call("add", a=2), answer("It is 3."))
        second = Agent("reporter", "Report.", [], ScriptedModel([answer("Done.")]))
        results = Pipeline([(first, "Add."), (second, "Report.")]).run({"seed": 7})
        self.assertEqual([result.answer for result in results], ["It is 3.", "Done."])
        task = second.model.seen[0]["messages"][1]["content"]
        inputs = json.loads(task.removeprefix("Report.\n\nInputs: "))
        self.assertEqual(inputs, {"seed": 7, "sum": 3, "sums_answer": "It is 3."})

    def test_a_failed_check_stops_it_unless_told_otherwise(self):
        def team(**options):
            first = agent_with(answer("7"), retries=0, check=numbers_grounded)
            second = Agent("reporter", "Report.", [], ScriptedModel([answer("Done.")]))
            return Pipeline([(first, "Add."), (second, "Report.")], **options)

        self.assertEqual(len(team().run()), 1)
        self.assertEqual(len(team(stop_on_failure=False).run()), 2)

    def test_an_agent_can_be_a_tool(self):
        inner = agent_with(call("add", a=2), answer("It is 3."))
        ask = agent_as_tool(inner, "Adds numbers.")
        self.assertEqual((ask.name, ask.description), ("ask_sums", "Adds numbers."))
        self.assertEqual(ask.parameters["required"], ["task"])
        outer = agent_with(call("ask_sums", task="Add 1 to 2."), answer("3"), tools=[ask])
        report = outer.run("What is 1 + 2?").tool_log[0]["result"]
        self.assertEqual(report, {"answer": "It is 3.", "passed": True, "problems": [], "sum": 3})

    def test_a_person_says_yes_with_y_or_yes_only(self):
        table = {"y": True, "Yes ": True, "": False, "n": False, "yep": False, "ja": False}
        for typed, approved in table.items():
            with mock.patch.object(builtins, "input", return_value=typed) as asked:
                self.assertIs(ask_person("launch", {"n": 1}), approved)
            question = 'The agent wants to run launch with {"n": 1}. Allow it? [y/N] '
            asked.assert_called_once_with(question)

    def test_the_end_of_input_is_a_no_and_a_persons_interrupt_passes_through(self):
        shown = io.StringIO()
        with mock.patch.object(builtins, "input", side_effect=EOFError), contextlib.redirect_stdout(shown):
            self.assertIs(ask_person("launch", {}), False)
        self.assertEqual(shown.getvalue(), "\n")  # the question's line ends
        with mock.patch.object(builtins, "input", side_effect=KeyboardInterrupt), self.assertRaises(KeyboardInterrupt):
            ask_person("launch", {})

    def test_a_question_shows_no_control_characters_of_a_model(self):
        with mock.patch.object(builtins, "input", return_value="n") as asked:
            ask_person("launch", {"text": "\x1b[2J\u202eevil"})
        self.assertTrue(asked.call_args.args[0].isprintable())


# --- the trace --------------------------------------------------------------------------------------------------------


class ATraceTellsWhatHappened(TemporaryFolder):
    def traced(self, *replies, **options):
        agent = agent_with(*replies, tracer=Tracer(self.folder / "t" / "trace.jsonl"), **options)
        result = agent.run("Add.")
        return agent, result, [json.loads(line) for line in agent.tracer.path.read_text("utf-8").splitlines()]

    def test_every_line_says_who_what_and_when(self):
        agent, _, events = self.traced(call("add", a=1), answer("2"))
        self.assertEqual({event["agent"] for event in events}, {"sums"})
        self.assertTrue(all(event["kind"] and event["time"].endswith("Z") for event in events))
        self.assertEqual(read_trace(agent.tracer.path), events)

    def test_the_kinds_of_the_course_hold_what_the_course_says(self):
        _, _, events = self.traced(call("add", a="1"), answer("2"))
        by_kind = {event["kind"]: event for event in events}
        self.assertEqual((events[0]["kind"], events[0]["format"]), ("run", 1))
        self.assertEqual(by_kind["task"]["text"], "Add.")
        called = by_kind["tool"]
        self.assertEqual((called["step"], called["tool"], called["args"]), (1, "add", {"a": 1}))
        self.assertEqual(called["result"], {"sum": 2})
        self.assertEqual(called["converted"], {"a": {"from": "1", "to": 1}})
        answered = by_kind["answer"]
        self.assertEqual((answered["step"], answered["text"], answered["problems"]), (2, "2", []))

    def test_a_call_stands_in_the_trace_before_its_tool_runs(self):
        path = self.folder / "trace.jsonl"
        found = []

        @tool(new_id=lambda: "20261028-140501")
        def play():
            found.extend(read_trace(path))
            return {}

        agent_with(call("play"), answer("ok"), tools=[play], tracer=Tracer(path)).run("Play.")
        self.assertEqual((found[-1]["kind"], found[-1]["id"]), ("call", "20261028-140501"))

    def test_there_is_exactly_one_tool_line_a_call(self):
        wrong = calls(("add", {"a": 1}), ("nothing", {}), ("add", "{"), ("add", {"a": "x"}))
        _, result, events = self.traced(wrong, answer("2"))
        self.assertEqual(len(result.tool_log), 4)
        self.assertEqual([e["result"] for e in events if e["kind"] == "tool"], [e["result"] for e in result.tool_log])

    def test_a_run_that_was_stopped_says_why(self):
        _, _, events = self.traced(call("add", a=1), max_steps=1)
        self.assertEqual((events[-1]["kind"], events[-1]["reason"]), ("stopped", "step limit reached"))

    def test_a_model_that_failed_is_in_the_trace(self):
        path = self.folder / "trace.jsonl"
        with self.assertRaises(ModelError):
            agent_with(tracer=Tracer(path)).run("x")
        self.assertEqual(read_trace(path)[-1]["kind"], "error")

    def test_approvals_are_in_the_trace(self):
        @tool(needs_approval=True)
        def launch():
            return "launched"

        _, _, events = self.traced(call("launch"), answer("ok"), tools=[launch], approver=yes)
        self.assertEqual([e["approved"] for e in events if e["kind"] == "approval"], [True])

    def test_on_event_gets_the_same_events_and_cannot_break_the_run(self):
        seen = []
        _, _, events = self.traced(call("add", a=1), answer("2"), on_event=seen.append)
        self.assertEqual(seen, events)
        self.assertEqual(seen[0]["kind"], "run")
        with self.assertWarns(UserWarning):
            self.assertTrue(agent_with(answer("ok"), on_event=lambda event: 1 / 0).run("x").passed)

    def test_a_tracer_writes_any_event_as_one_line(self):
        tracer = Tracer(self.folder / "any.jsonl")
        loop = []
        loop.append(loop)
        for value in ({"a": 1}, {1, 2}, float("nan"), b"x", "\ud800", loop, object()):
            tracer.write(agent="me", kind="thing", value=value)
        problems = []
        self.assertEqual(len(read_trace(tracer.path, problems)), 7)
        self.assertEqual(problems, [])
        self.assertNotIn("NaN", tracer.path.read_text("utf-8"))

    def test_a_last_line_cut_in_half_is_recognised(self):
        agent, _, events = self.traced(call("add", a=1), answer("2"))
        path = agent.tracer.path
        path.write_bytes(path.read_bytes()[:-10])
        problems = []
        self.assertEqual(read_trace(path, problems), events[:-1])
        self.assertEqual(len(problems), 1)
        self.assertIn("cut in half", problems[0])

    def test_show_prints_a_trace_for_people(self):
        agent, _, _ = self.traced(call("add", a=1), answer("The sum is 2."))
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            show(agent.tracer.path)
        self.assertIn("add(a=1)", printed.getvalue())
        self.assertIn("The sum is 2.", printed.getvalue())

    def test_show_survives_any_line(self):
        path = self.folder / "wild.jsonl"
        lines = ['{"kind": "answer", "problems": [1, null]}', '{"kind": "tool", "args": 7}', "[]", "{", '{"kind": 3}',
                 '{"kind": "answer", "problems": 5, "step": []}', '{"kind": "task", "agent": null, "text": "\\u001b"}']
        path.write_text("\n".join(lines), encoding="utf-8")
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            show(path)
        self.assertNotIn("\x1b", printed.getvalue())


if __name__ == "__main__":
    unittest.main()
