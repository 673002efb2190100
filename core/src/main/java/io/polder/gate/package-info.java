/**
 * Gates: which threads are inside, and how a thread waits until they have left.
 *
 * <pre>{@code
 *   Gate            whether threads are let in; finds the Accessor of the running thread
 *     Accessor        begins and ends critical sections: marked in Slots, or counted in Stripes
 *     ReaderRegistry  the Accessors of platform threads, and which of these have ended
 *     GracePeriods    which critical sections to wait for
 *     ReaderWait      waits until these have ended
 * }</pre>
 *
 * <p>Imports {@code io.polder.memory}, for the fence of all threads. Start with {@link
 * io.polder.gate.Gate}.
 */
@NullMarked
package io.polder.gate;

import org.jspecify.annotations.NullMarked;
