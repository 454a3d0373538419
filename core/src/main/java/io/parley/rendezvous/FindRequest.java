package io.parley.rendezvous;

import io.parley.advertisement.store.ValuePattern;
import io.parley.discovery.DiscoveryQuery;
import io.parley.id.GroupId;
import io.parley.message.Message;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What is looked for in the index.
 *
 * @param own      only in the index of the peer that is asked
 * @param patience how long the asker waits
 */
record FindRequest(GroupId group, DiscoveryQuery query, int offset, int limit, boolean own, Duration patience) {

    private static final String TYPE = "Type";
    private static final String ATTRIBUTE = "Attribute";
    private static final String VALUE = "Value";
    private static final String EXACT = "Exact";
    private static final String OFFSET = "Offset";
    private static final String LIMIT = "Limit";
    private static final String OWN = "Own";
    private static final String TIME = "Time";

    private static final int MAX_NAME_BYTES = 1024;
    private static final int MAX_VALUE_BYTES = 4 * ValuePattern.MAX_LENGTH;
    private static final int MAX_OFFSET = 1_000_000;
    private static final long MAX_MILLIS = Duration.ofHours(1).toMillis();

    FindRequest {
        limit = Math.max(1, Math.min(limit, Found.MAX_DOCUMENTS));
    }

    FindRequest at(int newOffset, int newLimit) {
        return new FindRequest(group, query, newOffset, newLimit, own, patience);
    }

    Message write() {
        Message.Builder message = Message.builder()
                .add(Elements.group(group))
                .add(Elements.number(OFFSET, offset))
                .add(Elements.number(LIMIT, limit))
                .add(Elements.number(OWN, own ? 1 : 0))
                .add(Elements.number(TIME, Math.max(1, Math.min(patience.toMillis(), MAX_MILLIS))));
        add(message, TYPE, query.type());
        add(message, ATTRIBUTE, query.attribute());
        if (query.attribute() != null) {
            message.add(Elements.text(VALUE, query.value().text()))
                    .add(Elements.number(EXACT, query.value().isExact() ? 1 : 0));
        }
        return message.build();
    }

    private static void add(Message.Builder message, String name, @Nullable String value) {
        if (value != null) {
            message.add(Elements.text(name, value));
        }
    }

    /** @throws io.parley.error.PeerFaultException {@link io.parley.error.ErrorCode#MALFORMED_MESSAGE} */
    static FindRequest read(Message message) {
        return new FindRequest(
                Elements.group(message),
                query(message),
                (int) Elements.number(message, OFFSET, 0, MAX_OFFSET, 0),
                (int) Elements.number(message, LIMIT, 1, Integer.MAX_VALUE),
                Elements.isSet(message, OWN),
                Duration.ofMillis(Elements.number(message, TIME, 1, MAX_MILLIS)));
    }

    private static DiscoveryQuery query(Message message) {
        String value = Elements.text(message, VALUE, MAX_VALUE_BYTES);
        try {
            ValuePattern pattern = value == null
                    ? ValuePattern.any()
                    : Elements.isSet(message, EXACT) ? ValuePattern.exactly(value) : ValuePattern.parse(value);
            return new DiscoveryQuery(
                    Elements.text(message, TYPE, MAX_NAME_BYTES),
                    Elements.text(message, ATTRIBUTE, MAX_NAME_BYTES),
                    pattern);
        } catch (IllegalArgumentException e) {
            throw Elements.malformed(String.valueOf(e.getMessage()));
        }
    }
}
