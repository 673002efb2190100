/**
 * What a running JVM's pools hold: {@code polder report}, {@code map} and {@code top}.
 *
 * <pre>{@code
 *   ReportCommand   MapCommand   TopCommand
 *              \        |        /      \
 *               LiveCommand, LiveJvm    Screen
 *               /          |       \
 *   attach.JvmProcess   LivePool     OpenData
 * }</pre>
 */
@NullMarked
package io.polder.tools.live;

import org.jspecify.annotations.NullMarked;
