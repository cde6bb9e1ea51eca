import { buildAllowanceContract } from "@/lib/contracts/build-allowance";
import { bindRoute, createHandlers } from "@/lib/http/route";
import { buildAllowance } from "@/lib/services/build-allowance";

export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = createHandlers(
  bindRoute(buildAllowance, buildAllowanceContract),
);
