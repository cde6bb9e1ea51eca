import { findServiceWalletsContract } from "@/lib/contracts/find-service-wallets";
import { bindRoute, createHandlers } from "@/lib/http/route";
import { findServiceWallets } from "@/lib/services/find-service-wallets";

export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = createHandlers(
  bindRoute(findServiceWallets, findServiceWalletsContract),
);
