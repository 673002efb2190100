/** Random searches for what breaks a rule about limits: memory that is free is never refused. */
@NullMarked
package io.polder.stress.rules;

import org.jspecify.annotations.NullMarked;
