/**
 * The only package that makes system calls: it reserves, commits, uncommits, releases, populates
 * and remaps memory.
 *
 * <p>Other packages call a {@link io.polder.memory.MemoryProvider}; {@link
 * io.polder.memory.Providers} chooses the one that fits this machine and JVM. The package imports
 * nothing of Polder, reads no setting, and is not exported. Its checks are for mistakes of the
 * packages above it.
 *
 * <pre>{@code
 * Providers --chooses--> MemoryProvider
 *                          |        |
 *        LinuxMemoryProvider        PlainMemoryProvider     both: Reservations
 *          |            |                 |
 *      LinuxCalls  LinuxFeatures     java.lang.foreign.Arena
 *          |
 *      ProcessFence                                  fences all threads at once
 *
 * LazyLimits, AuxiliaryVector                       what the kernel says of itself
 * }</pre>
 *
 * <p><b>Start.</b> The first arena of a program waits for all that happens here before it, and the
 * JDK's linker alone takes longer than everything else. So everything that can be lazy is: the
 * linker is made for the first system call, and each feature of the kernel and each limit is looked
 * up when somebody first asks for it. The code up to the first reservation has no lambda, no stream
 * and no concatenation of strings, because the JVM spins classes for the first of each.
 */
package io.polder.memory;
