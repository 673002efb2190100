/** Meters of Polder's pools in a Spring Boot application. */
@NullMarked
package io.polder.micrometer.boot;

import org.jspecify.annotations.NullMarked;
