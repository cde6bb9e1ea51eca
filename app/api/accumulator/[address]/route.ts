import { getAccumulatorContract } from "@/lib/contracts/get-accumulator";
import { bindRoute, createHandlers } from "@/lib/http/route";
import { getAccumulator } from "@/lib/services/get-accumulator";

export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = createHandlers(
  bindRoute(getAccumulator, getAccumulatorContract),
);
