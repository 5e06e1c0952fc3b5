import { statfs } from 'node:fs/promises';

/**
 * Whether a folder lies on a file system that other machines may write too, or that may not keep what was synced. A journal
 * works there only as well as the file system does, so people are warned. False where the platform does not say.
 */
export async function isNetworkFileSystem(folder: string): Promise<boolean> {
  if (process.platform === 'win32') {
    return /^[/\\]{2}(?![.?])/.test(folder);
  }
  if (process.platform !== 'linux') {
    return false;
  }
  const { type } = await statfs(folder);
  return NETWORK_TYPES.has(type >>> 0);
}

/** `f_type` of statfs(2), as linux/magic.h and the file systems themselves define it. */
const NETWORK_TYPES = new Set([
  0x6969, // NFS
  0x517b, // SMB
  0xff534d42, // CIFS
  0xfe534d42, // SMB 2
  0x01021997, // 9P: also WSL's view of Windows drives
  0x65735546, // FUSE: sshfs and many cloud drives
  0x5346414f, // AFS
  0x73757245, // Coda
  0x00c36400, // Ceph
  0x0bd00bd0, // Lustre
  0x01161970, // GFS2
  0x7461636f, // OCFS2
]);
