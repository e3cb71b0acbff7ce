"""A collector for tests: receives OTLP over gRPC and prints each export as a line of JSON, before it answers."""
import json
import sys
from concurrent.futures import ThreadPoolExecutor

import grpc
from google.protobuf.json_format import MessageToDict
from opentelemetry.proto.collector.logs.v1 import logs_service_pb2 as logs, logs_service_pb2_grpc as logs_grpc
from opentelemetry.proto.collector.metrics.v1 import metrics_service_pb2 as metrics, metrics_service_pb2_grpc as metrics_grpc
from opentelemetry.proto.collector.trace.v1 import trace_service_pb2 as trace, trace_service_pb2_grpc as trace_grpc


def tell(line):
    sys.stdout.write(json.dumps(line) + "\n")
    sys.stdout.flush()


def receiver(servicer, signal, response):
    class Receiver(servicer):
        def Export(self, request, context):
            headers = {key: value for key, value in context.invocation_metadata() if isinstance(value, str)}
            tell({"signal": signal, "headers": headers, "body": MessageToDict(request, use_integers_for_enums=True)})
            return response()

    return Receiver()


server = grpc.server(ThreadPoolExecutor(4))
trace_grpc.add_TraceServiceServicer_to_server(
    receiver(trace_grpc.TraceServiceServicer, "traces", trace.ExportTraceServiceResponse), server)
metrics_grpc.add_MetricsServiceServicer_to_server(
    receiver(metrics_grpc.MetricsServiceServicer, "metrics", metrics.ExportMetricsServiceResponse), server)
logs_grpc.add_LogsServiceServicer_to_server(
    receiver(logs_grpc.LogsServiceServicer, "logs", logs.ExportLogsServiceResponse), server)
tell({"port": server.add_insecure_port("127.0.0.1:0")})
server.start()
server.wait_for_termination()
