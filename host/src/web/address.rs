//! Decides which addresses belong to the public network.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, UdpSocket};

/// Tells whether an address can be a public web server's: it is not reserved for this computer, local networks or
/// special uses.
///
/// # Source
/// The registries of special-purpose addresses of IANA (RFC 6890 and later).
pub(crate) fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => is_public_v6(address),
    }
}

/// Tells whether an address belongs to this computer, which may have public addresses. A program can bind only to its
/// own computer's addresses, so it tries to bind. Nothing is sent.
pub(super) fn is_own(address: IpAddr) -> bool {
    let binds = |address: IpAddr| UdpSocket::bind((address, 0)).is_ok();
    // Some systems let a program bind to any address, even to the ones for documentation. There, the attempt proves
    // nothing.
    let nobody = match address {
        IpAddr::V4(_) => Ipv4Addr::new(192, 0, 2, 1).into(),
        IpAddr::V6(_) => Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 1).into(),
    };
    binds(address) && !binds(nobody)
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    !matches!(
        address.octets(),
        [0 | 10 | 127 | 224..=255, ..]
            | [100, 64..=127, ..]
            | [169, 254, ..]
            | [172, 16..=31, ..]
            | [192, 168, ..]
            | [192, 0, 0 | 2, _]
            | [192, 88, 99, _]
            | [198, 18 | 19, ..]
            | [198, 51, 100, _]
            | [203, 0, 113, _]
    )
}

/// Accepts only addresses that are assigned to networks. An address with an embedded IPv4 address is judged by that.
fn is_public_v6(address: Ipv6Addr) -> bool {
    let older = |high: u16, low: u16| {
        let [[a, b], [c, d]] = [high.to_be_bytes(), low.to_be_bytes()];
        is_public_v4(Ipv4Addr::new(a, b, c, d))
    };
    match address.segments() {
        [0x64, 0xff9b, 0, 0, 0, 0, high, low] | [0x2002, high, low, ..] => older(high, low),
        // Tunnels, benchmarks and documentation.
        [0x2001, 0..=0x1ff | 0xdb8, ..] | [0x3fff, 0..=0xfff, ..] => false,
        [first, ..] => (0x2000..=0x3fff).contains(&first),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_computer_knows_its_own_addresses() {
        assert!(is_own([127, 0, 0, 1].into()));
        assert!(!is_own([192, 0, 2, 7].into()) && !is_own("2001:db8::7".parse().unwrap()));
    }

    #[test]
    fn only_public_addresses_are_asked() {
        for text in [
            "1.1.1.1", "93.184.216.34", "172.32.0.1", "100.128.0.1", "2606:4700::1111", "64:ff9b::101:101",
            "2002:101:101::",
        ] {
            assert!(is_public(text.parse().unwrap()), "{text}");
        }
        for text in [
            "0.0.0.0", "10.1.2.3", "100.64.0.1", "127.0.0.1", "127.255.255.254", "169.254.169.254",
            "172.16.0.1", "172.31.255.255", "192.0.0.8", "192.168.1.1", "198.18.0.1", "224.0.0.1",
            "255.255.255.255", "::", "::1", "::127.0.0.1", "::ffff:127.0.0.1", "::ffff:1.1.1.1",
            "64:ff9b::7f00:1", "64:ff9b:1::1", "2001::1", "2001:db8::1", "2002:7f00:1::", "fc00::1",
            "fd12:3456::1", "fe80::1", "ff02::1",
        ] {
            assert!(!is_public(text.parse().unwrap()), "{text}");
        }
    }
}
