/** A service whose handler is a command of the operating system. Start with {@link io.parley.examples.service.CommandHandler}. */
@NullMarked
package io.parley.examples.service;

import org.jspecify.annotations.NullMarked;
