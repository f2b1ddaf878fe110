"""Serves one model file on the loopback interface, speaking the OpenAI-compatible protocol, until it is told to stop."""

import argparse
import signal
import sys

import xllamacpp

parser = argparse.ArgumentParser()
parser.add_argument("--model", required=True)
parser.add_argument("--name", required=True)
parser.add_argument("--port", type=int, required=True)
parser.add_argument("--threads", type=int, required=True)
parser.add_argument("--context", type=int, required=True, help="tokens for each conversation that is answered at once")
parser.add_argument("--parallel", type=int, required=True)
options = parser.parse_args()

parameters = xllamacpp.CommonParams()
parameters.model.path = options.model
parameters.model_alias = {options.name}
parameters.hostnames = ["127.0.0.1"]
parameters.port = options.port
parameters.n_ctx = options.context * options.parallel
parameters.n_parallel = options.parallel
parameters.cpuparams.n_threads = options.threads
parameters.cpuparams_batch.n_threads = options.threads
parameters.use_jinja = True
parameters.offline = True
parameters.ui = False
# So small a model makes little sense at the usual temperature, and at a lower one it says the same words for ever.
parameters.sampling.temp = 0.5
parameters.sampling.top_p = 0.9
parameters.sampling.penalty_repeat = 1.1

stopping = {signal.SIGINT, signal.SIGTERM, signal.SIGHUP}
# Blocked before the server starts its threads, so that the signals wait for the line below.
signal.pthread_sigmask(signal.SIG_BLOCK, stopping)
server = xllamacpp.Server(parameters)
print(f"serving {options.name} at {server.listening_address}", flush=True)
signal.sigwait(stopping)
# The server's threads answer nobody any more; waiting for them would only delay the end.
sys.stdout.flush()
signal.pthread_sigmask(signal.SIG_UNBLOCK, stopping)
signal.signal(signal.SIGTERM, signal.SIG_DFL)
signal.raise_signal(signal.SIGTERM)
