import { buildWrapBatchContract } from "@/lib/contracts/build-wrap-batch";
import { bindRoute, createHandlers } from "@/lib/http/route";
import { buildWrapBatch } from "@/lib/services/build-wrap-batch";

export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = createHandlers(
  bindRoute(buildWrapBatch, buildWrapBatchContract),
);
