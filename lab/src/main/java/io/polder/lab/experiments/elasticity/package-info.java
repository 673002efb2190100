/** The elasticity experiment: what memory in arenas costs against malloc, and what comes back. */
@NullMarked
package io.polder.lab.experiments.elasticity;

import org.jspecify.annotations.NullMarked;
