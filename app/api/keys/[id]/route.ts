import { revokeKeyContract } from "@/lib/contracts/revoke-key";
import { route, routes } from "@/lib/http/route";
import { revokeKey } from "@/lib/services/revoke-key";

export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = routes(route(revokeKey, revokeKeyContract));
