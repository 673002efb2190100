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
 *
 * KernelLimits, CgroupMemory, ProcessMaps, ProcessMemory     what the kernel says of itself and us
 * }</pre>
 */
package io.polder.memory;
