import { buildTopupContract } from "@/lib/contracts/build-topup";
import { bindRoute, createHandlers } from "@/lib/http/route";
import { buildTopup } from "@/lib/services/build-topup";

export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = createHandlers(
  bindRoute(buildTopup, buildTopupContract),
);
