package io.parley.pipes.internal;

import io.parley.endpoint.MessengerOptions;

/** The treatment of messages that are not acknowledged, or for which an output pipe has no room. */
public enum DeliveryMode {
    RELIABLE,
    /** Reliable, and the next holder gets what the lost one has not acknowledged. */
    RESENDING,
    DROP_OLDEST,
    DROP_NEWEST;

    boolean isBestEffort() {
        return ofMessengers().isBestEffort();
    }

    /** Returns the delivery of the messengers. */
    MessengerOptions.Delivery ofMessengers() {
        return switch (this) {
            case RELIABLE, RESENDING -> MessengerOptions.Delivery.RELIABLE;
            case DROP_OLDEST -> MessengerOptions.Delivery.DROP_OLDEST;
            case DROP_NEWEST -> MessengerOptions.Delivery.DROP_NEWEST;
        };
    }
}
