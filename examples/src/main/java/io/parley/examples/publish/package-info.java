/**
 * Publishes advertisements while a command runs. {@link io.parley.examples.publish.AdvertisementPublisher} is the entry
 * point.
 */
@NullMarked
package io.parley.examples.publish;

import org.jspecify.annotations.NullMarked;
