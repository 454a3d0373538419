/**
 * What a command publishes and keeps published while it runs. Read {@link io.parley.examples.publish.AdvertisementPublisher} first.
 */
@NullMarked
package io.parley.examples.publish;

import org.jspecify.annotations.NullMarked;
