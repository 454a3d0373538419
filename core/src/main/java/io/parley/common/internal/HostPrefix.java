package io.parley.common.internal;

import io.netty.util.NetUtil;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Locale;

/**
 * The part of a remote address that costs its owner something, so limits count it: an IPv4 address, or the first 64 bits of an
 * IPv6 address, because a single host usually has all addresses with such a prefix.
 */
public final class HostPrefix {

    private static final int IPV4_BYTES = 4;
    private static final int IPV4_OFFSET = 12;
    private static final int IPV6_PREFIX_BYTES = 8;

    private static final int IPV4_NETWORK_BYTES = 3;
    private static final int IPV6_NETWORK_BYTES = 6;

    /** The number of digits of a byte in the text of a prefix. */
    private static final int DIGITS = 2;

    private HostPrefix() {}

    /** Returns the prefix of an address in text form. Returns another host, such as a name, in lower case. */
    public static String of(String host) {
        byte[] address = NetUtil.createByteArrayFromIpAddressString(host);
        if (address == null) {
            return host.toLowerCase(Locale.ROOT);
        }
        byte[] prefix = address;
        if (address.length > IPV4_BYTES) {
            prefix = isMappedIpv4(address)
                    ? Arrays.copyOfRange(address, IPV4_OFFSET, address.length)
                    : Arrays.copyOf(address, IPV6_PREFIX_BYTES);
        }
        return HexFormat.of().formatHex(prefix);
    }

    /**
     * Returns the network of a host: the first 24 bits of an IPv4 address, the first 48 bits of an IPv6 address. Returns another
     * prefix, such as a name, unchanged.
     *
     * @param prefix the result of {@link #of}
     */
    public static String network(String prefix) {
        if (prefix.chars().allMatch(HexFormat::isHexDigit)) {
            if (prefix.length() == IPV4_BYTES * DIGITS) {
                return prefix.substring(0, IPV4_NETWORK_BYTES * DIGITS);
            }
            if (prefix.length() == IPV6_PREFIX_BYTES * DIGITS) {
                return prefix.substring(0, IPV6_NETWORK_BYTES * DIGITS);
            }
        }
        return prefix;
    }

    private static boolean isMappedIpv4(byte[] address) {
        for (int i = 0; i < IPV4_OFFSET; i++) {
            if (address[i] != (i < IPV4_OFFSET - 2 ? 0 : (byte) 0xff)) {
                return false;
            }
        }
        return true;
    }
}
