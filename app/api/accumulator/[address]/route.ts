import { getAccumulatorContract } from "@/lib/contracts/get-accumulator";
import { route, routes } from "@/lib/http/route";
import { getAccumulator } from "@/lib/services/get-accumulator";

export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = routes(route(getAccumulator, getAccumulatorContract));
