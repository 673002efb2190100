/**
 * The only room of the house that talks to the operating system: reserve and release, commit and
 * uncommit, populate, remap.
 *
 * <p>{@link io.polder.memory.MemoryProvider} is the door; {@link io.polder.memory.Providers} picks
 * the one that fits this machine and JVM. The package imports nothing of Polder, reads no setting,
 * and is not exported: its callers are the layers above, and its checks are for their mistakes.
 *
 * <pre>{@code
 * Providers --chooses--> MemoryProvider
 *                          |        |
 *        LinuxMemoryProvider        PlainMemoryProvider     both: Reservations, Ranges
 *          |            |                 |
 *      LinuxCalls  LinuxFeatures     java.lang.foreign.Arena
 *               |  |
 *           ProcessFence                             fences all threads at once
 *
 * KernelLimits, CgroupMemory, AuxiliaryVector,
 * ProcessMaps, ProcessMemory                        what the kernel says of itself and us
 * }</pre>
 *
 * <p><b>Start.</b> The first arena of a program waits for all that happens here before it, and the
 * JDK's linker alone takes longer than everything else. So whatever can wait does: the linker waits
 * for the first system call, each feature of the kernel and each limit for the first question. The
 * way to the first reservation has no lambda, no stream and no concatenation of strings, because
 * the first of each in a JVM makes it write classes.
 */
package io.polder.memory;
