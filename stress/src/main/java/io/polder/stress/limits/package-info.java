/**
 * What the library does where the system allows less: address space, data, mappings, or system
 * calls. Each limit is set on a process of its own.
 */
@NullMarked
package io.polder.stress.limits;

import org.jspecify.annotations.NullMarked;
