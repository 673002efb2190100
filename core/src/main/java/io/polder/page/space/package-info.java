/** Runs of granules: split on demand, coalesced when freed, assembled when scattered. */
@NullMarked
package io.polder.page.space;

import org.jspecify.annotations.NullMarked;
