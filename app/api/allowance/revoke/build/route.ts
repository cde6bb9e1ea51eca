import { buildRevocationContract } from "@/lib/contracts/build-revocation";
import { bindRoute, createHandlers } from "@/lib/http/route";
import { buildRevocation } from "@/lib/services/build-revocation";

export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = createHandlers(
  bindRoute(buildRevocation, buildRevocationContract),
);
