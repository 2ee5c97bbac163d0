"""Forty questions that people ask a profile, in the SQL that they write first and, if that fails, after reading its
error. A second statement may use only names that the error shows or the first statement has."""
import json
import re
import unittest

from support import REPOSITORY, main, run

DDP, SLOW = REPOSITORY / "examples/ddp", REPOSITORY / "examples/slow.pt.trace.json.gz"
# Question, profile, first statement, second statement where the first is a wrong guess.
QUESTIONS = [
    ("Which ranks are there?", DDP, "select rank from ranks"),
    ("Which GPUs are there?", DDP, "select gpu, name from gpus"),
    ("How long is each iteration?", DDP, "select iteration, duration from iterations"),
    ("Which iteration is the slowest?", DDP, "select iteration, max(duration) from iterations"),
    ("Which kernels take longest?", SLOW, "select name, time from kernels order by time desc limit 10"),
    ("Which kernels take longest in ms?", SLOW, "select name, ms(time) from kernels order by 2 desc"),
    ("How long do kernels take?", SLOW, "select name, dur from kernels order by dur desc",
     "select name, time from kernels order by time desc"),
    ("How often is each kernel launched?", SLOW, "select name, count from kernels",
     "select name, calls from kernels"),
    ("What is the mean time of a kernel?", SLOW, "select name, avg_time from kernels", "select name, mean from kernels"),
    ("Which operators take longest on the GPU?", SLOW, "select name, device_time from ops order by 2 desc",
     "select name, device_total from ops order by 2 desc"),
    ("Which operators take longest on the CPU?", SLOW, "select name, cpu_time from ops order by 2 desc",
     "select name, host_total from ops order by 2 desc"),
    ("What is the self time of operators?", SLOW, "select self_time from ops", "select device_self, host_self from ops"),
    ("Which operators are there?", SLOW, "select * from operators", "select * from ops"),
    ("How busy is each GPU?", DDP, "select gpu, utilization from gpus"),
    ("How idle is each GPU?", DDP, "select rank, idle from gpus"),
    ("Where is the GPU idle?", SLOW, "select * from idle", "select start, duration, cause from gaps"),
    ("Why is the GPU idle?", SLOW, "select cause, sum(duration) from gaps group by cause"),
    ("Which host has the most idle time?", DDP,
     "select host, sum(duration) t from gap_events join ranks using (rank) group by 1"),
    ("Which rank waits most?", DDP, "select rank, wait_time from ranks order by 2 desc",
     "select rank, waiting_time from ranks order by 2 desc"),
    ("Which rank is late?", DDP, "select rank, late_cost from ranks order by 2 desc"),
    ("How long do collectives take?", DDP, "select name, sum(time) from collectives group by name"),
    ("How long does NCCL take?", DDP, "select * from nccl", "select * from collectives"),
    ("How large are messages?", DDP, "select name, size from message_sizes",
     "select name, from_size, bytes from message_sizes"),
    ("How much communication is exposed?", DDP, "select rank, exposed_communication from ranks"),
    ("How much is copied?", SLOW, "select kind, bytes from memcpys"),
    ("Which copies are there?", SLOW, "select * from copies", "select * from memcpys"),
    ("How long do copies take?", SLOW, "select direction, time from memcpys", "select kind, time from memcpys"),
    ("What runs on the GPU?", SLOW, "select * from events limit 5", "select * from device_events limit 5"),
    ("What happened on the CPU?", SLOW, "select name, duration from host_events limit 5"),
    ("How long are the kernels of an operator?", SLOW,
     "select op, sum(duration) from device_events where kind = 'kernel' group by op"),
    ("Which calls block the host?", SLOW, "select name, time from api_calls order by time desc"),
    ("Which steps are slow?", SLOW, "select * from steps", "select iteration, duration from iterations"),
    ("How much of a step is the data loader?", SLOW, "select iteration, dataloader from iterations"),
    ("What went wrong?", SLOW, "select level, title from findings"),
    ("Which errors are there?", SLOW, "select key, message from findings where level = 'error'"),
    ("What should be fixed first?", SLOW, "select * from plan order by step limit 1"),
    ("How much does each fix save?", SLOW, "select fix, saving from plan", "select change, action, saves from plan"),
    ("Which limits were missed?", SLOW, "select metric, value, threshold from limits where status != 'pass'",
     "select metric, value, limit_text from limits where status != 'pass'"),
    ("What is the GPU utilization?", SLOW, "select value from metrics where id = 'gpu.utilization.mean'"),
    ("Which rules were judged?", SLOW, "select rule, status from rules", "select rule, status from judged_rules"),
]


class QuestionsTest(unittest.TestCase):
    def test_questions_are_answered_at_the_first_or_second_try(self):
        answered, first = 0, 0
        for question, profile, *tries in QUESTIONS:
            shown = ""
            for number, sql in enumerate(tries):
                if number and "columns of" in shown:  # After a wrong table the columns are another guess.
                    new = set(re.findall(r"[a-z_]+", sql)) - set(re.findall(r"[a-z_]+", tries[0]))
                    self.assertLessEqual(new, set(re.findall(r"[a-z_]+", shown)), question)
                done = run("query", profile, sql, "--format", "json")
                shown = done.stderr
                if done.returncode == 0 and json.loads(done.stdout)["rows"]:
                    answered += 1
                    first += number == 0
                    break
            else:
                print(f"no answer: {question}\n{shown}")
        self.assertEqual(len(QUESTIONS), 40)
        self.assertGreaterEqual(answered, 36)
        self.assertGreaterEqual(first, 20)


if __name__ == "__main__":
    main()
