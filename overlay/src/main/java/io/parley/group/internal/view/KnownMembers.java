package io.parley.group.internal.view;

import io.parley.id.PeerId;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * The members that may become neighbors: the passive view of HyParView. When it is full, a new member takes the place of a random one of
 * the host that has brought most, so that one host cannot replace what others have brought. Not thread-safe.
 */
final class KnownMembers {

    /** @param host the host of the member that has sent the entry */
    private record Known(MemberEntry entry, String host) {}

    private final int capacity;
    private final Random random;
    private final Map<PeerId, Known> members = new LinkedHashMap<>();

    KnownMembers(int capacity, Random random) {
        this.capacity = capacity;
        this.random = random;
    }

    /** Adds a member, or its newer entry. */
    void add(MemberEntry entry, String host) {
        Known known = members.get(entry.peer());
        if (known != null) {
            if (entry.isNewerThan(known.entry())) {
                members.put(entry.peer(), new Known(entry, known.host()));
            }
            return;
        }
        members.put(entry.peer(), new Known(entry, host));
        if (members.size() > capacity) {
            members.remove(victim());
        }
    }

    private PeerId victim() {
        Map<String, Long> counts =
                members.values().stream().collect(Collectors.groupingBy(Known::host, Collectors.counting()));
        long most = Collections.max(counts.values());
        List<PeerId> candidates = members.entrySet().stream()
                .filter(each -> counts.getOrDefault(each.getValue().host(), 0L) == most)
                .map(Map.Entry::getKey)
                .toList();
        return candidates.get(random.nextInt(candidates.size()));
    }

    void remove(PeerId member) {
        members.remove(member);
    }

    /** Removes the members whose entries expire at a time or before. */
    void removeExpired(long timeMillis) {
        members.values().removeIf(known -> known.entry().expiresMillis() <= timeMillis);
    }

    /** Returns a random member that passes the filter; empty if there is none. */
    Optional<MemberEntry> random(Predicate<PeerId> filter) {
        List<MemberEntry> candidates = sample(members.size()).stream()
                .filter(entry -> filter.test(entry.peer()))
                .toList();
        return candidates.stream().findFirst();
    }

    /** Returns random members, at most {@code count}. */
    List<MemberEntry> sample(int count) {
        List<MemberEntry> entries = new ArrayList<>();
        members.values().forEach(known -> entries.add(known.entry()));
        Collections.shuffle(entries, random);
        return entries.subList(0, Math.min(count, entries.size()));
    }

    boolean contains(PeerId member) {
        return members.containsKey(member);
    }

    Set<PeerId> ids() {
        return Set.copyOf(members.keySet());
    }
}
