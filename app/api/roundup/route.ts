import { calculateRoundUpContract } from "@/lib/contracts/calculate-round-up";
import { route, routes } from "@/lib/http/route";
import { calculateRoundUp } from "@/lib/services/calculate-round-up";

export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = routes(
  route(calculateRoundUp, calculateRoundUpContract),
);
