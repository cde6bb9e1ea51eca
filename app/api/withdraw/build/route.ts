import { buildWithdrawContract } from "@/lib/contracts/build-withdraw";
import { bindRoute, createHandlers } from "@/lib/http/route";
import { buildWithdraw } from "@/lib/services/build-withdraw";

export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = createHandlers(
  bindRoute(buildWithdraw, buildWithdrawContract),
);
